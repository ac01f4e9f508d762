/**
 * The step API at a position in a file: the text above it is read unchanged, with all its declarations, and tactics are
 * inserted at the position. For a person's own file; `open-steps.ts` is for statements from elsewhere. Results are
 * valid as far as elaboration goes: nothing is compiled, and no kernel is used.
 */
import type { LeanMessage, VerdictKind } from '@stp/config/records';
import { readHeader } from '@stp/lean-text';
import {
  endedEarly,
  HEARTBEATS_USED,
  infra,
  isKilledFromOutside,
  note,
  type ProcessContext,
  screenProof,
} from '@stp/lean-verifier';
import type { Goal, StepOptions } from './step.ts';
import { UNSOLVED, USES_SORRY } from './step-source.ts';
import { openStepWorker, type StepReading, type StepWorker } from './step-worker.ts';

/** Inserted at a position to test whether a tactic may stand there, and with which goals. */
const PROBE = 'skip';
/** Matches Lean's message if the file's imports define no tactics. */
const UNKNOWN_TACTIC = /^unknown tactic/u;
const NO_TACTICS = 'no tactic is known here: the file imports no module that has them, such as Init.Tactics';
/** Text that Lean prints for the first closing tactic, followed by the tactic's index. */
const CLOSED_BY = 'stp closed by ';
/** Matches the beginning of a declaration, in the first column. */
const COMMAND_START = /^\S/u;
const SORRY_WORD = /\b(?:sorry|admit)\b/u;

export interface PositionState {
  /** Lean's goals at the position, the main goal first. Empty if there are none. */
  readonly goals: readonly Goal[];
  /** The tactics so far, each as it stands in the file, with its first line in column 0. */
  readonly tactics: readonly string[];
  /** Never rejects because of the tactic's behaviour. Positions in messages refer to the tactic's own text. */
  run(tactic: string, options: StepOptions): Promise<PositionResult>;
  /**
   * Returns the index of the first tactic that leaves no goal, or null, trying all in one reading of the text. The
   * result is a hint to be confirmed with `run`. Skips tactics of several lines, and those that the screen refuses. A
   * limit ends all of them together.
   */
  firstClosing(tactics: readonly string[], options: StepOptions): Promise<{ index: number | null; cpuMs: number }>;
}

interface RefusedStep {
  readonly kind: 'invalid';
  readonly why: Exclude<VerdictKind, 'proved'>;
  readonly messages: readonly LeanMessage[];
  readonly cpuMs: number;
}
interface Stepped<Kind> {
  readonly kind: Kind;
  /** Lean's processor time, ms. */
  readonly cpuMs: number;
  readonly state: PositionState;
  readonly messages: readonly LeanMessage[];
}
export type PositionResult = Stepped<'open' | 'done'> | RefusedStep;
export type OpenedPosition = Stepped<'open'> | RefusedStep;

export interface FilePositions {
  /** `above` is the file up to a position at which a tactic can begin. `messages` are errors above it. */
  openAt(above: string, options: StepOptions): Promise<OpenedPosition>;
  /** Ends the process. Running and waiting steps reject with STP1203. */
  close(): Promise<void>;
}

export interface FilePositionsOptions extends ProcessContext {
  readonly memoryBytesMax: number;
  /** For a declaration, unless the file sets another number. */
  readonly heartbeatsMax: number;
}

/** A file cut at a position. */
interface CutFile {
  readonly header: string;
  /** Text below the header, up to the beginning of the tactic. */
  readonly body: string;
  /** 1-based line of the position in header and body. */
  readonly line: number;
  /** Column of the position in code points, as Lean counts columns. */
  readonly column: number;
}

/** Starts nothing yet. Uses one process, which reads one text at a time. */
export function openFilePositions({
  memoryBytesMax,
  heartbeatsMax,
  ...processContext
}: FilePositionsOptions): FilePositions {
  const worker = openStepWorker(processContext, memoryBytesMax);
  return {
    close: () => worker.close(),
    async openAt(above, options) {
      const file = cutFile(above, heartbeatsMax);
      const read = await readAt(worker, file, [PROBE], 0, [], options);
      if (read.kind !== 'read') return failure(read, options);
      const errors = read.messages.filter(({ severity }) => severity === 'error');
      const wrong = errors.filter((error) => isAtOrBehind(error, file) && !UNSOLVED.test(error.text));
      if (read.goals === null || read.goals.length === 0) {
        const messages = wrong.length > 0 ? wrong : [...errors, note('there is no goal here')];
        return { kind: 'invalid', why: 'rejected', messages, cpuMs: read.cpuMs };
      }
      if (wrong.some(({ text }) => UNKNOWN_TACTIC.test(text)))
        return { kind: 'invalid', why: 'rejected', messages: [note(NO_TACTICS), ...errors], cpuMs: read.cpuMs };
      // An error at the position itself, such as an open bracket above it, occurs with every tactic there.
      const known = new Set(errors.map((error) => keyOf(error, file)));
      const messages = errors.filter(({ text }) => !UNSOLVED.test(text));
      return {
        kind: 'open',
        state: stateOf(worker, file, known, [], read.goals, read.cpuMs),
        messages,
        cpuMs: read.cpuMs,
      };
    },
  };
}

function stateOf(
  worker: StepWorker,
  file: CutFile,
  known: ReadonlySet<string>,
  tactics: readonly string[],
  goals: readonly Goal[],
  cpuMs: number,
): PositionState {
  return {
    goals,
    tactics,
    async run(tactic, options) {
      const screened = screenProof(tactic);
      if (!screened.accepted) {
        const { kind, reason, ...at } = screened.refusal;
        return { kind: 'invalid', why: kind, messages: [{ severity: 'error', ...at, text: reason }], cpuMs: 0 };
      }
      const aligned = leftAligned(screened.text);
      const read = await readAt(worker, file, [...tactics, aligned], cpuMs, tactics, options);
      if (read.kind !== 'read') return failure(read, options);
      const first = file.line + tactics.reduce((lines, one) => lines + one.split('\n').length, 0);
      const { why, messages } = judge(read.messages, file, known, first);
      const { cpuMs: took } = read;
      if (why !== null) return { kind: 'invalid', why, messages, cpuMs: took };
      if (read.goals === null)
        return {
          kind: 'invalid',
          why: 'infra',
          messages: [note('the language server gives no goals here')],
          cpuMs: took,
        };
      const next = stateOf(worker, file, known, [...tactics, aligned], read.goals, cpuMs + took);
      return { kind: read.goals.length === 0 ? 'done' : 'open', state: next, messages, cpuMs: took };
    },
    async firstClosing(closers, options) {
      const ladder = closers.flatMap((closer, index) => {
        const screened = screenProof(closer);
        return screened.accepted && !screened.text.includes('\n')
          ? [`  | ((${screened.text.trim()}); done; trace "${CLOSED_BY}${index}")`]
          : [];
      });
      if (ladder.length === 0) return { index: null, cpuMs: 0 };
      const tried = ['first', ...ladder].join('\n');
      const read = await readAt(worker, file, [...tactics, tried], cpuMs, tactics, options);
      if (read.kind !== 'read') return { index: null, cpuMs: options.deadlineMs };
      const told = read.messages.find(({ text }) => text.startsWith(CLOSED_BY));
      return { index: told === undefined ? null : Number(told.text.slice(CLOSED_BY.length)), cpuMs: read.cpuMs };
    },
  };
}

async function readAt(
  worker: StepWorker,
  file: CutFile,
  tactics: readonly string[],
  prefixMs: number,
  before: readonly string[],
  options: StepOptions,
): Promise<StepReading> {
  const indent = `\n${' '.repeat(file.column)}`;
  const text = (some: readonly string[]): string =>
    file.body + some.map((one) => one.replaceAll('\n', indent) + indent).join('');
  const body = text(tactics);
  return worker.read(
    {
      header: file.header,
      body,
      prefix: text(before),
      prefixMs,
      goalLine: file.line + tactics.join('\n').split('\n').length,
      goalCharacter: file.column,
    },
    { ...options, keepsProcess: true },
  );
}

/** Interprets Lean's messages about the last tactic; `why` is null if nothing is wrong. */
function judge(
  messages: readonly LeanMessage[],
  file: CutFile,
  known: ReadonlySet<string>,
  first: number,
): { why: Exclude<VerdictKind, 'proved'> | null; messages: readonly LeanMessage[] } {
  const isNew = (message: LeanMessage): boolean =>
    !known.has(keyOf(message, file)) && (isAtOrBehind(message, file) || !UNSOLVED.test(message.text));
  const errors = messages.filter((message) => message.severity === 'error' && isNew(message));
  const own = messages
    .filter((message) => message.line >= first || errors.includes(message))
    .map((message) => ({ ...message, line: Math.max(1, message.line - first + 1) }));
  if (errors.some(({ text }) => HEARTBEATS_USED.test(text))) return { why: 'timeout', messages: own };
  if (errors.length > 0) return { why: 'rejected', messages: own };
  const usesSorry = messages.some(({ severity, text }) => severity === 'warning' && USES_SORRY.test(text));
  // A `sorry` that the person left above is allowed.
  if (usesSorry && !SORRY_WORD.test(declarationAbove(file.body))) return { why: 'sorry', messages: own };
  return { why: null, messages: own };
}

/** Errors at the end of the text are on another line with every tactic, so their position is not part of the key. */
function keyOf(message: LeanMessage, file: CutFile): string {
  const { line, column, text } = message;
  return isAtOrBehind(message, file) ? `behind ${text}` : `${line}:${column} ${text}`;
}

function isAtOrBehind({ line, column }: LeanMessage, file: CutFile): boolean {
  return line > file.line || (line === file.line && column >= file.column);
}

/** Returns the text from the last line that begins in the first column. */
export function declarationAbove(text: string): string {
  const lines = text.split('\n');
  const start = lines.slice(0, -1).findLastIndex((line) => COMMAND_START.test(line));
  return lines.slice(COMMAND_START.test(lines.at(-1)!) ? -1 : Math.max(0, start)).join('\n');
}

function cutFile(above: string, heartbeatsMax: number): CutFile {
  const text = above.replaceAll('\r\n', '\n');
  const lines = text.split('\n');
  const last = headerLines(text);
  const body = [`set_option maxHeartbeats ${heartbeatsMax}`, ...lines.slice(last)].join('\n');
  const ending = lines.at(-1)!;
  // An empty header still contributes one empty line to the text.
  const line = Math.max(1, last) + 1 + (lines.length - last);
  return {
    header: lines.slice(0, last).join('\n'),
    body,
    line,
    column: Array.from(ending).length,
  };
}

/** Returns the lines of a file up to its last import. */
export function importsOf(text: string): string {
  const plain = text.replaceAll('\r\n', '\n');
  return plain.split('\n').slice(0, headerLines(plain)).join('\n');
}

/** Returns the number of lines up to the last import. */
function headerLines(text: string): number {
  const { end } = readHeader(text);
  return end === 0 ? 0 : text.slice(0, end).split('\n').length;
}

/** Returns the tactic with its first line in column 0 and the other lines moved by the same amount. */
function leftAligned(text: string): string {
  const [first, ...rest] = text.split('\n');
  const columns = first!.length - first!.trimStart().length;
  return [first!.slice(columns), ...rest.map((line) => line.replace(new RegExp(`^ {0,${columns}}`, 'u'), ''))].join(
    '\n',
  );
}

/** Returns the failure of a reading. A process that was ended has used all its time. */
function failure(read: Exclude<StepReading, { kind: 'read' }>, { deadlineMs: cpuMs }: StepOptions): RefusedStep {
  if (read.kind === 'header_error') return { kind: 'invalid', why: 'header_error', messages: read.messages, cpuMs };
  const { kind, messages } = isKilledFromOutside(read.exit)
    ? infra('somebody else ended the process')
    : endedEarly(read.exit);
  return { kind: 'invalid', why: kind === 'proved' ? 'infra' : kind, messages, cpuMs };
}
