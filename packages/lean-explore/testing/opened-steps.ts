/** Opens the step API for tests of a file, closes it after each test, and asserts that no process is left. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type LeanEnvironment, openVerifier, type Verifier } from '@stp/lean-verifier';
import {
  coreEnvironment,
  DRIVER_MEMORY_BYTES_MAX as MEMORY_BYTES_MAX,
  scratchFolder,
} from '@stp/lean-verifier/testing';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { markedProcesses } from '../../../test/support/processes.ts';
import { openSteps, type StepsOptions } from '../step/open-steps.ts';
import type { OpenedGoal, StepResult, StepState, Steps } from '../step/step.ts';

export const workingDirectory = scratchFolder();
export const LIMITS = { deadlineMs: 20_000 };
export let core: LeanEnvironment;
export let runMark: string;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  core = await coreEnvironment();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  expect(markedProcesses(runMark)).toEqual([]);
});
afterAll(() => rmSync(workingDirectory, { recursive: true, force: true }));

export function open(options: Partial<StepsOptions> = {}): Steps {
  runMark = `test-${randomBytes(6).toString('hex')}`;
  const common = { environment: core, libraryHeader: '', workingDirectory, memoryBytesMax: MEMORY_BYTES_MAX };
  const steps = openSteps({ ...common, runMark, ...options });
  opened.push(steps);
  return steps;
}

export async function verifierOf(environment: LeanEnvironment, libraryHeader: string): Promise<Verifier> {
  const common = { processes: 1, cacheDirectory: null, scratchDirectory: workingDirectory };
  const verifier = await openVerifier({ ...common, environment, libraryHeader });
  opened.push(verifier);
  return verifier;
}

export function stateOf(goal: OpenedGoal | StepResult): StepState {
  if (goal.kind === 'invalid') throw new Error(JSON.stringify(goal));
  return goal.state;
}

export const start = async (steps: Steps, statement: string, header: string | null = null): Promise<StepState> =>
  stateOf(await steps.openGoal(header, statement, LIMITS));
export const step = async (state: StepState, tactic: string): Promise<StepState> =>
  stateOf(await state.run(tactic, LIMITS));
