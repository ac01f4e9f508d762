/**
 * State that all Lean processes of a host share, across the pools of all runs and file checks: the number that work at
 * once, and the idle processes, which hold memory. A run's limit applies to all of them together.
 */
import { Semaphore } from '@stp/base';
import { type HostProcesses, noProcesses } from './warm-processes.ts';

export interface LeanHost {
  /** One permit for every working process. The caller passes the limit with each request. */
  readonly permits: Semaphore;
  readonly processes: HostProcesses;
}

export const openLeanHost = (): LeanHost => ({ permits: new Semaphore(), processes: noProcesses() });
