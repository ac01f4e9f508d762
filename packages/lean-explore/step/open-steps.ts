/** The step API on incremental documents of the language server (`step.ts` documents the API). */
import { randomBytes } from 'node:crypto';
import type { LeanMessage, VerdictKind } from '@stp/config/records';
import {
  type CheckResult,
  endedEarly,
  infra,
  isKilledFromOutside,
  note,
  type ProcessContext,
  screenHeader,
  screenProof,
  screenStatement,
  type Verifier,
} from '@stp/lean-verifier';
import type { Goal, OpenedGoal, StepOptions, StepResult, StepState, Steps } from './step.ts';
import { type LaidOut, messagesOfLast, readState, type StepGoal, stateText } from './step-source.ts';
import { openStepWorker, type StepReading, type StepWorker } from './step-worker.ts';

/** Heartbeats of a step: Lean's default. A search limits its steps by their deadline. */
const HEARTBEATS_MAX = 200_000;

export interface StepsOptions extends ProcessContext {
  /** Placed above goals whose header is null. Trusted. */
  readonly libraryHeader: string;
  /** Resident memory of the process, bytes. A process that exceeds it is ended together with its step. */
  readonly memoryBytesMax: number;
  /** Heartbeats for all tactics of a proof together. */
  readonly heartbeatsMax?: number;
}

/** Starts nothing yet. */
export function openSteps(options: StepsOptions): Steps {
  const { libraryHeader, memoryBytesMax, heartbeatsMax = HEARTBEATS_MAX, ...processContext } = options;
  const worker = openStepWorker(processContext, memoryBytesMax);
  return {
    get starts() {
      return worker.starts;
    },
    close: () => worker.close(),
    async openGoal(headerGiven, statement, limits) {
      const screenedHeader = headerGiven === null ? null : screenHeader(headerGiven);
      if (screenedHeader?.accepted === false) {
        return { kind: 'invalid', why: 'header_error', messages: [note(screenedHeader.reason)] };
      }
      const screened = screenStatement(statement);
      if (!screened.accepted) return { kind: 'invalid', why: 'forbidden', messages: [note(screened.refusal.reason)] };
      const { signature, namespace } = screened;
      const name = `_stp${randomBytes(8).toString('hex')}_goal`;
      const header = screenedHeader?.text ?? libraryHeader;
      return openState(worker, { header, headerGiven, statement, signature, namespace, name, heartbeatsMax }, limits);
    },
  };
}

async function openState(worker: StepWorker, goal: StepGoal, options: StepOptions): Promise<OpenedGoal> {
  const text = stateText(goal, []);
  const { header } = goal;
  const read = await worker.read({ header, body: text.body, prefix: '', prefixMs: 0, goalLine: text.end }, options);
  if (read.kind !== 'read') return { kind: 'invalid', ...failure(read) };
  const reading = readState(read.messages, text);
  if (reading.kind === 'invalid') return { ...reading, messages: read.messages };
  if (read.goals === null || read.goals.length === 0) return { kind: 'invalid', why: 'infra', messages: [noGoals()] };
  return { kind: 'open', state: makeState(worker, goal, [], read.goals, read.cpuMs) };
}

function makeState(
  worker: StepWorker,
  goal: StepGoal,
  tactics: readonly string[],
  goals: readonly Goal[],
  cpuMs: number,
): StepState {
  return {
    goals,
    tactics,
    async run(tactic, options) {
      const laidOut = screenProof(tactic);
      if (!laidOut.accepted) {
        const { kind, reason, ...at } = laidOut.refusal;
        return invalid(kind, [{ severity: 'error', ...at, text: reason }], 0);
      }
      const next = [...tactics, laidOut.text];
      const text = stateText(goal, next);
      const prefix = stateText(goal, tactics).body;
      const read = await worker.read(
        { header: goal.header, body: text.body, prefix, prefixMs: cpuMs, goalLine: text.end },
        options,
      );
      if (read.kind !== 'read') {
        const { why, messages } = failure(read);
        return invalid(why, messages, read.kind === 'ended' ? read.spentMs : 0);
      }
      const after = (goalsAfter: readonly Goal[]): StepState =>
        makeState(worker, goal, next, goalsAfter, cpuMs + read.cpuMs);
      return judge(read, text, laidOut, after);
    },
    finish: (verifier, { signal } = {}) => finish(verifier, goal, tactics, signal),
  };
}

function judge(
  read: Extract<StepReading, { kind: 'read' }>,
  text: ReturnType<typeof stateText>,
  last: LaidOut,
  after: (goals: readonly Goal[]) => StepState,
): StepResult {
  const { spentMs: cpuMs } = read;
  const reading = readState(read.messages, text);
  const messages = messagesOfLast(read.messages, text, last);
  if (reading.kind === 'invalid') return invalid(reading.why, messages, cpuMs);
  if (reading.kind === 'done') return { kind: 'done', goals: [], messages, cpuMs, state: after([]) };
  // Lean reports that goals remain, but the server did not return them.
  if (read.goals === null || read.goals.length === 0) return invalid('infra', [noGoals()], cpuMs);
  return { kind: 'open', goals: read.goals, messages, cpuMs, state: after(read.goals) };
}

async function finish(
  verifier: Verifier,
  { headerGiven: header, statement }: StepGoal,
  tactics: readonly string[],
  signal: AbortSignal | undefined,
): Promise<CheckResult> {
  const candidate = { id: 'steps', header, statement, proof: tactics.join('\n') };
  const options = { alone: true as const, ...(signal === undefined ? {} : { signal }) };
  const [result] = await verifier.check([candidate], options);
  return result!;
}

function failure(read: Exclude<StepReading, { kind: 'read' }>): {
  why: Exclude<VerdictKind, 'proved'>;
  messages: readonly LeanMessage[];
} {
  if (read.kind === 'header_error') return { why: 'header_error', messages: read.messages };
  const killed = isKilledFromOutside(read.exit);
  const { kind, messages } = killed ? infra('somebody else ended the process') : endedEarly(read.exit);
  return { why: kind === 'proved' ? 'infra' : kind, messages };
}

function invalid(why: Exclude<VerdictKind, 'proved'>, messages: readonly LeanMessage[], cpuMs: number): StepResult {
  return { kind: 'invalid', why, goals: [], messages, cpuMs };
}

function noGoals(): LeanMessage {
  return note('the language server gives no goals here');
}
