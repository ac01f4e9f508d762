/** Drivers and sessions for tests. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LeanMessage } from '@stp/config/records';
import type { DriverName, LeanDriver, LeanSession, SessionExit, SessionRun } from '../runtime/process/driver.ts';
import { openDriver } from '../runtime/process/open-driver.ts';
import type { ProcessContext } from '../runtime/process/spawn.ts';

export const DRIVER_NAMES: readonly DriverName[] = ['json', 'server'];
export const MEMORY_BYTES_MAX = 2_147_483_648;

/** Writes a shell script with this text to the folder; returns its path. */
export function script(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

export function driverOf(name: DriverName, processContext: ProcessContext): LeanDriver {
  return openDriver(name, processContext);
}

/** Opens a session with this header; throws if that fails. */
export async function sessionOf(driver: LeanDriver, header = ''): Promise<LeanSession> {
  const opened = await driver.open(header, { memoryBytesMax: MEMORY_BYTES_MAX });
  if (opened.kind !== 'open') throw new Error(JSON.stringify(opened));
  return opened.session;
}

export interface Ran {
  readonly exit: SessionExit;
  readonly messages: readonly LeanMessage[];
}

export async function runBody(session: LeanSession, body: string, options: Partial<SessionRun> = {}): Promise<Ran> {
  const messages: LeanMessage[] = [];
  const limits = { deadlineMs: 60_000, memoryBytesMax: MEMORY_BYTES_MAX };
  const exit = await session.run({ ...limits, ...options, body, onMessage: (message) => messages.push(message) });
  return { exit, messages };
}
