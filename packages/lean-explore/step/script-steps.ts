/**
 * Splits a tactic script into steps that can run one after another, each on the first goal. A step is a line with the
 * lines indented below it, the body of a bullet, `induction … with` (bodies of its alternatives become `?_` and run
 * afterwards), or a part of `t <;> u` (`u` runs on each goal that `t` leaves). This file only reads text; `trace.ts`
 * has Lean test whether the steps prove the same.
 */

import { tokenize } from '@stp/lean-text';
import { screenProof } from '@stp/lean-verifier';

export type ScriptStep =
  | { readonly kind: 'tactic'; readonly text: string }
  /** A tactic, then one script for each goal that it leaves, in order. */
  | { readonly kind: 'split'; readonly text: string; readonly bodies: readonly (readonly ScriptStep[])[] }
  /** Each part runs on every goal that the previous part leaves. */
  | { readonly kind: 'chain'; readonly text: string; readonly parts: readonly string[] };

const BULLET = /^[·.] /u;
const WITH_ALTERNATIVES = /^(?:induction|cases)\b[^\n]*\bwith\n/u;
/** Matches lines that continue the previous tactic although they are not indented. */
const CONTINUES = /^(?:\||<;>|[)\]}⟩])/u;
const CLOSERS: Readonly<Record<string, number>> = {
  '(': 1,
  '[': 1,
  '{': 1,
  '⟨': 1,
  ')': -1,
  ']': -1,
  '}': -1,
  '⟩': -1,
};

/** Returns null for a script that the screen refuses. Comments are dropped. */
export function scriptSteps(script: string): readonly ScriptStep[] | null {
  const screened = screenProof(script);
  return screened.accepted ? stepsOf(dedent(screened.text)) : null;
}

function stepsOf(block: string): ScriptStep[] {
  return tacticsOf(block).flatMap((text) => stepOf(text));
}

/** Returns the tactics of a block whose first line starts in column 0. */
function tacticsOf(block: string): string[] {
  const tactics: string[] = [];
  for (const line of block.split('\n')) {
    if (line.trim() === '') continue;
    if (tactics.length === 0 || (!line.startsWith(' ') && !CONTINUES.test(line))) tactics.push(line);
    else tactics[tactics.length - 1] += `\n${line}`;
  }
  return tactics;
}

function stepOf(text: string): ScriptStep[] {
  if (BULLET.test(text)) return stepsOf(dedent(` ${text.slice(1)}`));
  const split = WITH_ALTERNATIVES.test(text) ? splitOf(text) : null;
  if (split !== null) return [split];
  const parts = text.includes('\n') ? [text] : partsOf(text);
  return parts.length > 1 ? [{ kind: 'chain', text, parts }] : [{ kind: 'tactic', text }];
}

/** Returns null if an alternative has another form. */
function splitOf(text: string): ScriptStep | null {
  const [first, ...rest] = text.split('\n');
  const column = rest[0]!.length - rest[0]!.trimStart().length;
  const alternatives: string[][] = [];
  for (const line of rest) {
    if (line.startsWith('|', column)) alternatives.push([line.slice(column)]);
    else if (alternatives.length === 0) return null;
    else alternatives.at(-1)!.push(line);
  }
  const heads: string[] = [];
  const bodies: ScriptStep[][] = [];
  for (const [head, ...below] of alternatives) {
    const arrow = head!.indexOf('=>');
    if (arrow < 0) return null;
    const beside = head!.slice(arrow + 2).trim();
    // If a body begins after its arrow and continues below, its columns depend on the whole line.
    if (beside !== '' && below.length > 0) return null;
    heads.push(`${head!.slice(0, arrow).trimEnd()} => ?_`);
    bodies.push(stepsOf(beside === '' ? dedent(below.join('\n')) : beside));
  }
  return { kind: 'split', text: [first, ...heads].join('\n'), bodies };
}

/** Returns the parts between occurrences of `<;>` outside brackets. */
function partsOf(line: string): string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (const { kind, text, start } of tokenize(line)) {
    if (kind !== 'symbol') continue;
    depth += CLOSERS[text] ?? 0;
    if (depth > 0 || !line.startsWith('<;>', start)) continue;
    parts.push(line.slice(from, start).trim());
    from = start + '<;>'.length;
  }
  return [...parts, line.slice(from).trim()];
}

function dedent(block: string): string {
  const lines = block.split('\n');
  const first = lines.find((line) => line.trim() !== '') ?? '';
  const columns = first.length - first.trimStart().length;
  return lines.map((line) => (line.slice(0, columns).trim() === '' ? line.slice(columns) : line)).join('\n');
}
