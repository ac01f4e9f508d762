/**
 * Tries scripts on statements in order, many in one text: they are the alternatives of one `first`, so Lean elaborates
 * the statement once, reuses its results about types, and stops at the first script that proves it. To the verifier
 * such a text is a proof like any other. If all scripts fail, the last alternative reports it. An error that `first`
 * does not catch ends the text at a script, and the rest is read in parts without that script. If a text is a proof, or
 * if Lean does not tell which script caused an error, the text is split until single scripts are read alone. So a script
 * counts as a proof only if the verifier accepts it alone. The heartbeat limit, which all scripts of a text share,
 * decides nothing about a script that did not have it for itself.
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
  /** Makes the proof from a text whose scripts open these marks: adds lines above it. Missing: the text is the proof. */
  proofOf?(text: string, marks: string | null): string;
}

export interface PricedScript {
  readonly text: string;
  /** The namespace whose marks it opens; null or missing: none. Scripts share a text with neighbours of the same marks. */
  readonly marks?: string | null;
  /** Lean's expected time in such a text, ms. Scripts share their text's time in proportion to their prices. */
  readonly price: number;
}

/** `unknown`: another script proved the statement before the result of this one was known. */
export interface ScriptOutcome {
  readonly kind: 'proved' | 'failed' | 'unknown';
  /** Lean's time, ms: its share of shared texts, and the time of its own checks. */
  readonly ms: number;
}

/**
 * Checks texts that need no certificate (`CheckOptions.confirm`), all with one limit of heartbeats. A rejection of a text
 * with several scripts (`isShared`) must be explained.
 */
export type CheckTexts = (
  texts: readonly (Candidate & { readonly isShared: boolean })[],
) => Promise<readonly CheckResult[]>;

/** Maximum number of scripts in a text. An error in one requires reading the others again. */
const SCRIPTS_MAX = 16;
/** Maximum sum of prices in a text, ms: a third of what a text's heartbeats allow. */
const PRICE_MAX = 100;
/** Number of parts into which a text is split. Fewer parts need more rounds, and so more starts of Lean. */
const PARTS = 4;

/** Fails with a short message. */
const ALL_FAILED = 'fail_if_success skip';

interface Segment {
  readonly from: number;
  readonly to: number;
  /** Index of the text that was a proof and of which this is a part; null if none was. */
  readonly family: number | null;
}

interface Work {
  readonly task: SharedTask;
  readonly kinds: ScriptOutcome['kind'][];
  readonly ms: number[];
  /** In the order of the scripts. */
  waiting: Segment[];
}

/** Returns the outcomes of each task's scripts, in order. */
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
    const results = await check(asked.map(textToCheck));
    const told = asked.map((one, index) => ({ ...one, result: results[index]! }));
    for (const [work, own] of Map.groupBy(told, (one) => one.work))
      settle(work, new Map(own.map(({ segment, result }) => [segment, result])));
  }
  return works.map(({ kinds, ms }) => kinds.map((kind, index) => ({ kind, ms: ms[index]! })));
}

function textToCheck({ work: { task }, segment: { from, to } }: { readonly work: Work; readonly segment: Segment }) {
  const { id, header, statement } = task.statement;
  const proof = proofOf(task, task.scripts.slice(from, to));
  return { id: `${id} ${from} ${to}`, header, statement, proof, isShared: to - from > 1 };
}

function proofOf(task: SharedTask, scripts: readonly PricedScript[]): string {
  const text = textOf(scripts);
  return task.proofOf?.(text, marksOf(scripts[0]!)) ?? text;
}

const marksOf = ({ marks = null }: PricedScript): string | null => marks;

/** @param scripts a single script is returned unchanged */
function textOf(scripts: readonly PricedScript[]): string {
  if (scripts.length === 1) return scripts[0]!.text;
  const alternatives = scripts.flatMap(({ text }) => [
    '  | ((',
    // The brackets keep a script of several lines one alternative, and `done` fails if goals remain.
    ...text.split('\n').map((line) => `    ${line}`),
    '    ); done)',
  ]);
  return ['  first', ...alternatives, `  | ${ALL_FAILED}`].join('\n');
}

function segmentsOf(scripts: readonly PricedScript[]): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  let sum = 0;
  for (const [index, script] of scripts.entries()) {
    const { price } = script;
    const isOther = marksOf(script) !== marksOf(scripts[from]!);
    if (index > from && (isOther || index - from >= SCRIPTS_MAX || sum + price > PRICE_MAX)) {
      segments.push({ from, to: index, family: null });
      [from, sum] = [index, 0];
    }
    sum += price;
  }
  return from < scripts.length ? [...segments, { from, to: scripts.length, family: null }] : segments;
}

/**
 * Returns the waiting segments up to the end of the first text that was a proof. Later ones are needed only if its
 * parts prove nothing.
 */
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
    for (const [index, price] of prices.entries())
      ms[from + index]! += whole > 0 ? (result.checkMs * price) / whole : result.checkMs / prices.length;
    if (to - from === 1) {
      kinds[from] = result.kind === 'proved' ? 'proved' : 'failed';
      return [];
    }
    const { failed, rest } = readShared(segment, result, task);
    kinds.fill('failed', from, failed);
    return rest;
  });
  if (kinds.includes('proved')) work.waiting = [];
}

/** @returns the segments into which a segment is split, or a segment that ended at a script: none if it is empty */
function partsOf({ from, to, family }: Segment, isProof: boolean): Segment[] {
  const size = Math.max(1, Math.ceil((to - from) / PARTS));
  const starts = Array.from({ length: Math.ceil((to - from) / size) }, (_, part) => from + part * size);
  return starts.map((start) => ({
    from: start,
    to: Math.min(to, start + size),
    family: isProof ? from : family,
  }));
}

/** @returns index after the scripts that are known to fail, and the segments of the others to read */
function readShared(
  segment: Segment,
  { kind, messages }: CheckResult,
  task: SharedTask,
): { readonly failed: number; readonly rest: Segment[] } {
  const { from, to, family } = segment;
  const errors = messages.filter(({ severity }) => severity === 'error');
  const isOther = kind !== 'rejected' && kind !== 'timeout';
  if (isOther || errors.length === 0 || errors.some(({ text }) => UNREADABLE.test(text)))
    return { failed: from, rest: partsOf(segment, kind === 'proved') };
  const scripts = task.scripts.slice(from, to);
  const above = linesOf(proofOf(task, scripts)) - linesOf(textOf(scripts));
  const firstLines = firstLinesOf(scripts, above + 2);
  const indices = errors.map(({ line }) => firstLines.findLastIndex((first) => first <= line));
  const [index = -1] = indices;
  // Lean does not always report the position at which it met a limit.
  if (index < 0 || indices.some((other) => other !== index)) return { failed: from, rest: partsOf(segment, false) };
  const at = from + index;
  // The last alternative, which reports that all have failed, follows the scripts.
  if (at === to) return kind === 'timeout' ? { failed: from, rest: partsOf(segment, false) } : { failed: to, rest: [] };
  // What ended the text often ends the rest too, at each of several scripts.
  const behind = partsOf({ from: at + 1, to, family }, false);
  // An error that ends the whole text belongs to this script. Heartbeats are shared, so only the first script has had
  // all of them.
  if (kind === 'rejected' || at === from) return { failed: at + 1, rest: behind };
  return { failed: at, rest: [{ from: at, to: at + 1, family }, ...behind] };
}

/** Matches errors about text that Lean cannot parse. Lean may report them on the line after the script. */
const UNREADABLE = /^(?:unexpected|expected|unterminated|elaboration function)/u;

const linesOf = (text: string): number => text.split('\n').length;

/**
 * Returns the 1-based lines on which the scripts begin, followed by the line after the last script.
 * @param line the first script's line
 */
function firstLinesOf(scripts: readonly PricedScript[], line: number): number[] {
  return [
    ...scripts.map(({ text }) => {
      const first = line;
      line += linesOf(text) + 2;
      return first;
    }),
    line,
  ];
}
