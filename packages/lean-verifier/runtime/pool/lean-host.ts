/**
 * The state that all Lean processes of one host share, for every run's pool and every file check: how many work at
 * once, and the memory of idle ones. A run's limit holds for all of them together.
 */
import { Semaphore } from '@stp/base';
import { type HostProcesses, noProcesses } from './warm-processes.ts';

export interface LeanHost {
  /** One turn for every process that works. The caller's limit is the width. */
  readonly turns: Semaphore;
  readonly processes: HostProcesses;
}

export const openLeanHost = (): LeanHost => ({ turns: new Semaphore(), processes: noProcesses() });
