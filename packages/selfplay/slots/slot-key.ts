/**
 * Keys that decide when two statements are equal for a prover that sees names as slots: when they agree up to the names
 * of variables and definitions. The two keys differ in how much of the definitions counts.
 */

import { contentId } from '@stp/config/ids';
import type { ShownDefinition } from '@stp/config/records';
import { statementPieces, tokenize } from '@stp/lean-text';
import { canonicalText } from '../canonical-text.ts';
import { statementKey } from '../dedupe.ts';
import { displayStatement } from '../prompts.ts';
import { type Binder, readSignature, splitAt } from '../statement-signature.ts';
import { definitionLines, signatureLines } from './definition-text.ts';
import { PROPOSITION, slotTable, UNIVERSE } from './slot-table.ts';
import { fromSlots, toSlots } from './slot-text.ts';

/**
 * Returns the key of a statement by the types of its definitions alone: commutativity of `plus` and of `times` have the
 * same key. It separates training from measured statements, where it is better to exclude too much.
 *
 * @param definitions definitions that the statement depends on
 */
export function slotKey(statement: string, definitions: readonly ShownDefinition[]): string {
  return keyOf('slot key', statement, definitions, signatureLines(definitions));
}

/**
 * Returns the key of a theorem by the equations of all its definitions, direct and indirect. Equal keys mean the same
 * theorem up to names, the order of binders, the sides of its equation, and the types of its variables (lists of
 * numbers, lists of anything), and nothing else. Commutativity of `plus` and of `times` have different keys.
 *
 * @param definitionsOf returns the definitions that a text of the statement depends on, as for `slotKey`
 */
export function theoremKey(
  statement: string,
  definitionsOf: (statement: string) => readonly ShownDefinition[],
): string {
  const turned = turnedRound(statement);
  const keys = [statement, ...(turned === null ? [] : [turned])].map((text) => {
    // Functions get their slots in the order of their first use in the text.
    const ordered = bindersByUse(text, definitionsOf(text).length === 0);
    const definitions = definitionsOf(ordered);
    const lines = definitionLines(definitions, slotTable('', definitions), Number.POSITIVE_INFINITY);
    return keyOf('theorem key', ordered, definitions, lines);
  });
  return keys.sort()[0]!;
}

/**
 * Orders variables by their use in the body, each after the names in its type.
 *
 * @param typed whether to write their types. Definitions determine them; the operators of core Lean, `+` or `<`, do
 * not.
 */
function bindersByUse(statement: string, typed: boolean): string {
  const signature = readSignature(statement);
  if (signature === null) return statement;
  const said = typed ? signature.binders : signature.binders.flatMap(untyped);
  const open = new Set(
    said.flatMap(({ kind, names, type }) => (names.length === 0 ? [''] : names).map((name) => ({ kind, name, type }))),
  );
  const byName = new Map([...open].map((one) => [one.name, one]));
  const ordered: string[] = [];
  const take = (text: string): void => {
    for (const { text: word } of tokenize(text)) {
      const one = byName.get(word.split('.')[0]!);
      if (one !== undefined && open.delete(one)) show(one);
    }
  };
  const show = ({ kind, name, type }: { kind: Binder['kind']; name: string; type: string }): void => {
    take(type);
    ordered.push(
      kind === 'instance' && name === '' ? `[${type}]` : `${BRACKETS[kind][0]}${name} : ${type}${BRACKETS[kind][1]}`,
    );
  };
  const whole = [...signature.antecedents, signature.conclusion].join(' → ');
  const body = typed ? whole : whole.replace(ANNOTATED, '$1');
  take(body);
  for (const one of open) if (open.delete(one)) show(one);
  return `theorem t ${ordered.join(' ')} : ${body}`;
}

/** Keeps hypotheses; drops types and instances. */
function untyped(binder: Binder): Binder[] {
  if (PROPOSITION.test(binder.type)) return [binder];
  const isType = binder.kind === 'instance' || UNIVERSE.test(binder.type);
  return isType ? [] : [{ ...binder, kind: 'explicit', type: '_' }];
}

/** Matches annotated terms such as `([] : List α)`. */
const ANNOTATED = /\(\s*(\[\s*\]|[\p{L}\p{N}_.']+)\s*:[^():=]*\)/gu;
const BRACKETS = { explicit: '()', implicit: '{}', instance: '[]' } as const;
/** Operators that bind more weakly than `=`, or replace it. */
const NOT_IN_EQUATION: ReadonlySet<string> = new Set('∧ ∨ ↔ → ¬ ∀ ∃ fun λ ≠ ≤ ≥ < > ∣ : , if'.split(' '));

/** Returns the statement with the sides of its conclusion exchanged; null if that is no equation. */
function turnedRound(statement: string): string | null {
  const signature = readSignature(statement);
  const { pieces, balanced } = statementPieces(signature?.conclusion ?? '');
  if (signature === null || !balanced) return null;
  const [left, right, ...more] = splitAt(pieces, '=');
  const isOther = pieces.some(({ text, depth }) => depth === 0 && NOT_IN_EQUATION.has(text));
  if (left === undefined || right === undefined || more.length > 0 || isOther) return null;
  const head = displayStatement(statement);
  return `${head.slice(0, head.lastIndexOf(signature.conclusion))}${right} = ${left}`;
}

function keyOf(
  kind: string,
  statement: string,
  definitions: readonly ShownDefinition[],
  lines: readonly string[],
): string {
  const table = slotTable('', definitions);
  const written = toSlots(displayStatement(statement), table);
  if (written === null) return statementKey(null, statement);
  // Slots become otherwise unused names, so that the reader of terms accepts them.
  const nameless = [...table.nameOf.keys()].map((slot): [string, string] => [slot, `slot_${slot.slice(1, -1)}`]);
  const text = fromSlots(written, { ...table, nameOf: new Map(nameless) });
  return contentId(kind, lines.join('\n'), canonicalText(`theorem t ${text}`));
}
