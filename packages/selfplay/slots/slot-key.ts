/**
 * When two statements are the same to a prover that meets names as slots: equal once the names of variables and definitions
 * are gone. Two keys differ in what else counts of the definitions.
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
 * Makes the key of a statement by the types of the definitions alone: `plus` and `times` commute alike. It is for keeping apart
 * what is trained on from what is measured, where too much is the right side to err on.
 *
 * @param definitions that the statement stands on
 */
export function slotKey(statement: string, definitions: readonly ShownDefinition[]): string {
  return keyOf('slot key', statement, definitions, signatureLines(definitions));
}

/**
 * Makes the key of a theorem by the equations of all definitions, those that the statement mentions and those behind them.
 * Equal keys mean the same theorem in other names, its binders in another order, its equation turned round or its variables at
 * other types (of lists of numbers, of lists of anything), and nothing else. That `plus` commutes is another theorem than that
 * `times` does.
 *
 * @param definitionsOf what a text of the statement stands on, as of `slotKey`
 */
export function theoremKey(
  statement: string,
  definitionsOf: (statement: string) => readonly ShownDefinition[],
): string {
  const turned = turnedRound(statement);
  const keys = [statement, ...(turned === null ? [] : [turned])].map((text) => {
    // Functions get their slots in the order in which the text mentions them.
    const ordered = bindersByUse(text, definitionsOf(text).length === 0);
    const definitions = definitionsOf(ordered);
    const lines = definitionLines(definitions, slotTable('', definitions), Number.POSITIVE_INFINITY);
    return keyOf('theorem key', ordered, definitions, lines);
  });
  return keys.sort()[0]!;
}

/**
 * Variables in the order in which the body uses them, each after what its type mentions.
 *
 * @param typed whether their types are said. Definitions determine them; the signs of core Lean, `+` or `<`, do not.
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
      if (one !== undefined && open.delete(one)) place(one);
    }
  };
  const place = ({ kind, name, type }: { kind: Binder['kind']; name: string; type: string }): void => {
    take(type);
    ordered.push(
      kind === 'instance' && name === '' ? `[${type}]` : `${BRACKETS[kind][0]}${name} : ${type}${BRACKETS[kind][1]}`,
    );
  };
  const whole = [...signature.antecedents, signature.conclusion].join(' → ');
  const body = typed ? whole : whole.replace(ANNOTATED, '$1');
  take(body);
  for (const one of open) if (open.delete(one)) place(one);
  return `theorem t ${ordered.join(' ')} : ${body}`;
}

/** Hypotheses keep what they say; types and instances go. */
function untyped(binder: Binder): Binder[] {
  if (PROPOSITION.test(binder.type)) return [binder];
  const isType = binder.kind === 'instance' || UNIVERSE.test(binder.type);
  return isType ? [] : [{ ...binder, kind: 'explicit', type: '_' }];
}

/** `([] : List α)`. */
const ANNOTATED = /\(\s*(\[\s*\]|[\p{L}\p{N}_.']+)\s*:[^():=]*\)/gu;
const BRACKETS = { explicit: '()', implicit: '{}', instance: '[]' } as const;
/** Bind weaker than `=`, or take its place. */
const NOT_IN_EQUATION: ReadonlySet<string> = new Set('∧ ∨ ↔ → ¬ ∀ ∃ fun λ ≠ ≤ ≥ < > ∣ : , if'.split(' '));

/** The statement with the sides of its conclusion exchanged; null where that is no equation. */
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
  // Names that no one writes, so that what reads terms reads names.
  const nameless = [...table.nameOf.keys()].map((slot): [string, string] => [slot, `slot_${slot.slice(1, -1)}`]);
  const text = fromSlots(written, { ...table, nameOf: new Map(nameless) });
  return contentId(kind, lines.join('\n'), canonicalText(`theorem t ${text}`));
}
