/**
 * Tries scripts on statements in their order, many in one text: they are the alternatives of one `first`, so Lean elaborates the statement
 * once, keeps what it has found out about types, and stops at the first script that proves it. Such a text is a proof like any
 * other, and the verifier reads it like any other. Where all fail, the last alternative says so. Whatever else happens (a proof, a limit,
 * which all scripts of a text share, a script that does not parse), the text is cut into parts until single scripts are read
 * alone, so the verdict on a script that is not merely one of many that fail is that of the verifier on it alone.
 */
import type { Candidate, CheckResult } from '@stp/lean-verifier';

export interface AskedStatement {
  readonly id: string;
  readonly header: string | null;
  readonly statement: string;
}

export interface SharedTask {
  readonly statement: AskedStatement;
  readonly scripts: readonly PricedScript[];
}

export interface PricedScript {
  readonly text: string;
  /** Expected time of Lean in such a text, ms; scripts share the time of their text in these proportions. */
  readonly price: number;
}

/** `unknown`: an earlier script proved the statement before this one was tried alone. */
export interface ScriptOutcome {
  readonly kind: 'proved' | 'failed' | 'unknown';
  /** Lean's time: its share of the texts that it stood in, and what it took alone. */
  readonly ms: number;
}

/**
 * @param isShared the texts hold several scripts each: they prove nothing that is kept, and it must be said why they are rejected
 *   (`CheckOptions.confirm` and `explains`)
 */
export type CheckTexts = (candidates: readonly Candidate[], isShared: boolean) => Promise<readonly CheckResult[]>;

/** Scripts in one text at most: an error in one has all read again. */
const SCRIPTS_MAX = 16;
/** Sum of prices in one text at most, ms: a third of what the heartbeats of a text allow. */
const PRICE_MAX = 100;
/** A text that does more than fail is cut into so many. Reading in fewer, larger steps would start Lean more often. */
const PARTS = 4;

/** Fails where it is reached, at no cost, with a message that no other tactic of ours has. */
const ALL_FAILED = 'fail_if_success skip';
const ALL_FAILED_SAYS = /`?fail_if_success`?/u;

interface Segment {
  readonly from: number;
  readonly to: number;
  /** The place in the list of the text that was a proof and that this is a part of; null: none was. */
  readonly family: number | null;
}

interface Work {
  readonly task: SharedTask;
  readonly kinds: ScriptOutcome['kind'][];
  readonly ms: number[];
  /** In the order of the scripts. */
  waiting: Segment[];
}

/** Outcomes of the scripts of each task, in their order. */
export async function trySharing(tasks: readonly SharedTask[], check: CheckTexts): Promise<ScriptOutcome[][]> {
  const works = tasks.map(
    (task): Work => ({
      task,
      kinds: task.scripts.map(() => 'unknown'),
      ms: task.scripts.map(() => 0),
      waiting: segmentsOf(task.scripts),
    }),
  );
  for (;;) {
    const asked = works.flatMap((work) => nextOf(work).map((segment) => ({ work, segment })));
    if (asked.length === 0) break;
    const [alone, shared] = partition(asked, ({ segment }) => segment.to - segment.from === 1);
    const results = await Promise.all(
      [alone, shared].map((some) => (some.length === 0 ? [] : check(some.map(candidateOf), some === shared))),
    );
    const told = [alone, shared].flatMap((some, which) =>
      some.map(({ work, segment }, place) => ({ work, segment, result: results[which]![place]! })),
    );
    for (const [work, own] of Map.groupBy(told, (one) => one.work))
      settle(work, new Map(own.map(({ segment, result }) => [segment, result])));
  }
  return works.map(({ kinds, ms }) => kinds.map((kind, place) => ({ kind, ms: ms[place]! })));
}

interface Asked {
  readonly work: Work;
  readonly segment: Segment;
}

function candidateOf({ work: { task }, segment: { from, to } }: Asked): Candidate {
  const { id, header, statement } = task.statement;
  return { id: `${id} ${from} ${to}`, header, statement, proof: textOf(task.scripts.slice(from, to)) };
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/** @param scripts one alone stands as it is */
function textOf(scripts: readonly PricedScript[]): string {
  if (scripts.length === 1) return scripts[0]!.text;
  const alternatives = scripts.flatMap(({ text }) => [
    '  | ((',
    // The brackets keep a script of several lines one alternative, and `done` refuses what leaves goals.
    ...text.split('\n').map((line) => `    ${line}`),
    '    ); done)',
  ]);
  return ['  first', ...alternatives, `  | ${ALL_FAILED}`].join('\n');
}

function segmentsOf(scripts: readonly PricedScript[]): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  let sum = 0;
  for (const [place, { price }] of scripts.entries()) {
    if (place > from && (place - from >= SCRIPTS_MAX || sum + price > PRICE_MAX)) {
      segments.push({ from, to: place, family: null });
      [from, sum] = [place, 0];
    }
    sum += price;
  }
  return from < scripts.length ? [...segments, { from, to: scripts.length, family: null }] : segments;
}

/** What waits, up to the end of the first text that was a proof: what stands behind it is needed only if its parts prove nothing. */
function nextOf({ waiting }: Work): Segment[] {
  const family = waiting.find((one) => one.family !== null)?.family;
  const last = family === undefined ? -1 : waiting.findLastIndex((one) => one.family === family);
  return last < 0 ? waiting : waiting.slice(0, last + 1);
}

function settle(work: Work, results: ReadonlyMap<Segment, CheckResult>): void {
  const { task, kinds, ms } = work;
  work.waiting = work.waiting.flatMap((segment): Segment[] => {
    const result = results.get(segment);
    if (result === undefined) return [segment];
    const { from, to } = segment;
    const prices = task.scripts.slice(from, to).map(({ price }) => price);
    const whole = prices.reduce((sum, price) => sum + price, 0);
    for (const [place, price] of prices.entries())
      ms[from + place]! += whole > 0 ? (result.checkMs * price) / whole : result.checkMs / prices.length;
    if (to - from > 1 && !isPlainFailure(result)) return partsOf(segment, result.kind === 'proved');
    kinds.fill(result.kind === 'proved' ? 'proved' : 'failed', from, to);
    return [];
  });
  if (kinds.includes('proved')) work.waiting = [];
}

function partsOf({ from, to, family }: Segment, isProof: boolean): Segment[] {
  const size = Math.max(1, Math.ceil((to - from) / PARTS));
  const starts = Array.from({ length: Math.ceil((to - from) / size) }, (_, part) => from + part * size);
  return starts.map((start) => ({
    from: start,
    to: Math.min(to, start + size),
    family: isProof ? from : family,
  }));
}

/** Every script failed, and nothing else happened. */
function isPlainFailure({ kind, messages }: CheckResult): boolean {
  const errors = messages.filter(({ severity }) => severity === 'error');
  return kind === 'rejected' && errors.length === 1 && ALL_FAILED_SAYS.test(errors[0]!.text);
}
