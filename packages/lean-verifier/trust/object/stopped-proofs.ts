/**
 * Handles files in which Lean refuses some proofs, which leave no compiled module. Makes a copy of the text in which
 * Lean reads these proofs but does not elaborate them: the tactic `stop` before each leaves `sorry`. Names, statements
 * and attributes of these theorems stay, so later text keeps its meaning, and text that uses one of them depends on
 * `sorry`. Nothing is cut out, so Lean itself determines where each proof ends. Lean's messages decide which proofs are
 * stopped, and no verdicts except those proofs' own.
 */
import type { LeanMessage } from '@stp/config/records';
import { isDerivedPart } from '@stp/lean-kernel';
import { CLOSERS, nameParts, positionAt, proofSigns, type Token } from '@stp/lean-text';
import { firstModifier } from './modifiers.ts';
import { SYNTAX } from './written-notation.ts';

export interface StoppedProof {
  /** Last component of the theorem's name; null for an example. */
  readonly name: string | null;
  /** Position of the word `theorem` in the file: 1-based line, 0-based column. */
  readonly line: number;
  readonly column: number;
  readonly error: LeanMessage;
}

export interface StoppedText {
  readonly text: string;
  readonly proofs: readonly StoppedProof[];
  /** Converts a line of the copy to the line of the file. */
  readonly lineOf: (line: number) => number;
}
const PROVING: ReadonlySet<string> = new Set(['theorem', 'lemma', 'example']);
const DECLARING: ReadonlySet<string> = new Set([
  ...PROVING,
  ...'def abbrev instance opaque axiom inductive structure class'.split(' '),
]);
/** A name after one of these opens a namespace, or is a namespace for declarations. */
const OPENING: ReadonlySet<string> = new Set(['namespace', 'open', 'export']);
/** The columns that `exact` and the blank before it take. */
const EXACT = ' exact';

interface Insertion {
  /** `text` replaces the file's text between these two offsets. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Makes the copy. Returns null if an error is outside proofs, or if tokens do not suffice to read the theorem.
 * `allTokens` are those of the text, including comments.
 */
export function stopProofs(
  text: string,
  allTokens: readonly Token[],
  messages: readonly LeanMessage[],
): StoppedText | null {
  const tokens = allTokens.filter(({ kind }) => kind !== 'comment');
  // If the file defines syntax, Lean could read text after `stop` differently.
  if (tokens.some(({ text: word }) => SYNTAX.has(word))) return null;
  const docs = allTokens.filter(({ kind, text: comment }) => kind === 'comment' && comment.startsWith('/--'));
  const starts = tokens.flatMap(({ kind, text: word, start }, index) =>
    kind === 'word' && DECLARING.has(word)
      ? [{ index, ...positionAt(text, start), begin: positionAt(text, beginOf(tokens, docs, index)) }]
      : [],
  );
  const errors = new Map<(typeof starts)[number], LeanMessage>();
  for (const message of messages) {
    if (message.severity !== 'error') continue;
    const at = starts.findLast(({ begin }) => isBefore(begin, message));
    if (at === undefined || !PROVING.has(tokens[at.index]!.text)) return null;
    if (!errors.has(at)) errors.set(at, message);
  }
  if (errors.size === 0) return null;
  const insertions: Insertion[] = [];
  const proofs: StoppedProof[] = [];
  for (const [{ index, line, column }, error] of [...errors].toSorted(([a], [b]) => a.index - b.index)) {
    const next = starts.find((other) => other.index > index)?.index ?? tokens.length;
    const name = nameOf(tokens, index);
    const insertion = stopAt(text, tokens, index, next);
    if (insertion === null || mayHideNames(tokens, index, next, name)) return null;
    insertions.push(insertion);
    proofs.push({ name, line, column, error });
  }
  return { ...withInsertions(text, insertions), proofs };
}

/**
 * Returns the offset at which the declaration with the word at `index` begins, including doc comment, attributes and
 * modifiers.
 */
function beginOf(tokens: readonly Token[], docs: readonly Token[], index: number): number {
  const first = firstModifier(tokens, index);
  const above = tokens[first - 1]?.end ?? 0;
  const begin = tokens[first]!.start;
  return docs.findLast(({ start }) => above <= start && start < begin)?.start ?? begin;
}

const isBefore = (position: { line: number; column: number }, { line, column }: LeanMessage): boolean =>
  position.line < line || (position.line === line && position.column <= column);

function nameOf(tokens: readonly Token[], index: number): string | null {
  const name = tokens[index + 1];
  return tokens[index]!.text === 'example' || name?.kind !== 'word' ? null : (nameParts(name.text).at(-1) ?? null);
}

/** Inserts `stop` before the proof of the theorem at `index`, so that all tokens of the proof keep their columns. */
function stopAt(text: string, tokens: readonly Token[], index: number, next: number): Insertion | null {
  const sign = proofSign(tokens, index, next);
  const first = sign === null ? undefined : tokens[sign + 2];
  if (sign === null || first === undefined || sign + 2 >= next) return null;
  if (first.text !== 'by') {
    const from = tokens[sign + 1]!.end;
    const gap = text.slice(from, first.start);
    const { column } = positionAt(text, first.start);
    // Begin with a blank: a term may continue in every column after that of the first tactic.
    const behind = isBlank(gap) && !gap.includes('\n') ? ' '.repeat(Math.max(1, column - EXACT.length)) : gap;
    return { from, to: first.start, text: ` by stop\n${EXACT}${behind}` };
  }
  const tactic = tokens[sign + 3];
  if (tactic === undefined || sign + 3 >= next) return null;
  const gap = text.slice(first.end, tactic.start);
  if (!isBlank(gap) && !gap.includes('\n')) return null;
  const { column } = positionAt(text, tactic.start);
  return { from: first.end, to: tactic.start, text: ` stop${gap.includes('\n') ? gap : `\n${' '.repeat(column)}`}` };
}

const isBlank = (text: string): boolean => text.trim() === '';

/**
 * Returns the index of the `:` in the `:=` before its proof; null if there is none, as before match arms (`| 0 => …`).
 */
function proofSign(tokens: readonly Token[], index: number, next: number): number | null {
  const isProof = proofSigns();
  const closers = new Set(Object.values(CLOSERS));
  let depth = 0;
  for (let at = index + 1; at < next; at += 1) {
    const { kind, text, end } = tokens[at]!;
    if (closers.has(text)) depth -= 1;
    if (depth === 0 && text === '|') return null;
    const isSign = text === ':' && tokens[at + 1]?.text === '=' && tokens[at + 1]!.start === end;
    if (depth === 0 && (isSign || kind === 'word' || text === '←') && isProof(isSign ? ':=' : text)) return at;
    if (kind === 'symbol' && CLOSERS[text] !== undefined) depth += 1;
  }
  return null;
}

/**
 * Whether other text could refer to what Lean makes for the proof, `t.match_1` or the `t.go` of a `let rec`. Without
 * the proof such a name may refer to another constant.
 */
function mayHideNames(tokens: readonly Token[], index: number, next: number, name: string | null): boolean {
  if (tokens.slice(index, next).some(({ text }) => text === 'rec')) return true;
  if (name === null) return false;
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== 'word' || at === index + 1) continue;
    const parts = nameParts(text);
    const part = parts.indexOf(name);
    if (part < 0) continue;
    if (part < parts.length - 1 && parts.slice(part + 1).some(isDerivedPart)) return true;
    if (isOpened(tokens, at)) return true;
    if (part < parts.length - 1 && DECLARING.has(tokens[at - 1]?.text ?? '')) return true;
  }
  return false;
}

/** Whether the word at `at` is opened by a command, as in `namespace a` or `open b a`. */
function isOpened(tokens: readonly Token[], at: number): boolean {
  for (let before = at - 1; tokens[before]?.kind === 'word'; before -= 1) {
    const { text } = tokens[before]!;
    if (OPENING.has(text)) return true;
    if (DECLARING.has(text)) return false;
  }
  return false;
}

function withInsertions(text: string, insertions: readonly Insertion[]): Pick<StoppedText, 'text' | 'lineOf'> {
  let copy = '';
  let end = 0;
  /** Lines of the copy after which a line was added. */
  const added: number[] = [];
  for (const { from, to, text: inserted } of insertions) {
    copy += text.slice(end, from);
    const line = copy.split('\n').length;
    const more = inserted.split('\n').length - text.slice(from, to).split('\n').length;
    if (more > 0) added.push(line);
    copy += inserted;
    end = to;
  }
  return { text: copy + text.slice(end), lineOf: (line) => line - added.filter((before) => before < line).length };
}
