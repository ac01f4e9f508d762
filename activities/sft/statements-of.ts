/** Finds all statements that an example shows or asks for, and converts examples to other prompt forms. */
import type { Example } from '@stp/config/records';
import { STATE_MARKER } from '@stp/config/words';
import { type ConjecturerForm, formExamples, type ProverForms, statementKey, targetExample } from '@stp/selfplay';

const MARKERS = /<(prove|state|by|lemma|easy|hard)>/;
/** Numbers of a goal's inaccessible names, as prompts have them. */
const INACCESSIBLE = /✝(\d+)/gu;
/** Prompts show a statement without its name. Any name serves here, since keys and prompts omit it. */
const named = (displayed: string): string => `theorem t ${displayed}`;

/**
 * Returns markers and the texts after them, in order. The text after the last marker is the target of a conjecturer
 * example.
 */
function sections({ prompt, target, role }: Example): (readonly [marker: string, text: string])[] {
  const parts = (role === 'conjecturer' ? prompt + target : prompt).split(MARKERS);
  return parts.flatMap((part, index) => (index % 2 === 1 ? [[part, parts[index + 1] ?? ''] as const] : []));
}

/**
 * Converts an example from the embedded form, in which sets and library examples are stored. The embedded form omits
 * names and headers, so the result has what the format writes for `theorem t`.
 */
export function restyled(example: Example, formOf: ProverForms, conjecturer: ConjecturerForm): Example[] {
  const found = new Map(sections(example));
  const [prove, lemma, easy, by, hard] = ['prove', 'lemma', 'easy', 'by', 'hard'].map((marker) => found.get(marker!));
  const { target, weight } = example;
  if (prove !== undefined) return formExamples(formOf({ header: null, statement: named(prove) }), target, weight);
  // Proof states have only the embedded form; rows of other forms stay as they are.
  if (example.prompt.includes(STATE_MARKER)) return [];
  if (easy === undefined || hard === undefined) return [example];
  if (by === undefined) {
    const origin = { kind: 'target', targetStatement: named(hard) } as const;
    return [conjecturer.exampleOf({ header: null, origin }, true, named(easy), weight)];
  }
  const lemmaStatement = lemma?.includes(':') ? named(lemma) : null;
  const origin = { kind: 'seed', lemmaStatement, easyStatement: named(easy), easyProof: by } as const;
  return [conjecturer.exampleOf({ header: null, origin }, true, named(hard), weight)];
}

/** `statementKey` of every statement in the example. */
export function statementKeysOf(example: Example): string[] {
  return sections(example)
    .filter(([marker]) => marker !== 'by')
    .map(([, text]) => statementKey(null, named(text.replace(INACCESSIBLE, 'hidden_$1'))));
}

/**
 * Converts a (lemma, easy, hard) example so that the prompt has the hard theorem, and the target is the lemma, or the
 * easy theorem if there is no lemma. A prover example stays.
 */
export function conditionedOnTarget(example: Example): Example {
  if (example.role === 'prover') return example;
  const found = new Map(sections(example));
  const lemma = found.get('lemma');
  const easier = lemma === undefined || !lemma.includes(':') ? found.get('easy') : lemma;
  const hard = found.get('hard');
  if (easier === undefined || hard === undefined) return example;
  return targetExample(named(hard), named(easier), example.weight);
}
