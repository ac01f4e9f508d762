/**
 * The form in which a prover sees one statement: its prompt, the training target for a proof, and the reading of its
 * output. Plain: the statement and proofs as they are. Slotted: definitions above the statement, and slots for names
 * throughout. Verified and stored texts always have real names; slots exist only between prompt and model.
 */
import type { ChatMessage, Example, ShownDefinition, ShownLemma } from '@stp/config/records';
import { ALL_FUNCTIONS, PROOF_MARKER } from '@stp/config/words';
import { type Answer, wholeAnswer } from '../formats/answer.ts';
import { displayProof, displayStatement, proverPrompt } from '../prompts.ts';
import { type Binder, readSignature } from '../statement-signature.ts';
import { definitionLines, lemmaLines } from './definition-text.ts';
import { binderTable, type SlotTable } from './slot-table.ts';
import { fromSlots, toSlots } from './slot-text.ts';

export interface ProverForm {
  readonly prompt: string;
  /** The prompt as chat messages. */
  readonly messages?: readonly ChatMessage[];
  /** Returns the training target for a proof; null if the proof cannot be written in this form. */
  targetOf(proof: string): string | null;
  /** Reads the proof from the model's output, or returns why there is none. Never throws. */
  read(text: string, finish: 'stop' | 'length'): Answer;
  /** Full names of the theorems that the prompt shows. */
  readonly lemmas?: readonly string[];
  /** May sampling end after this text? Missing: only the model and the stop texts end it. */
  isComplete?(text: string): boolean;
}

/** A statement under its header; null stands for the library's header. */
export interface Stated {
  readonly header: string | null;
  readonly statement: string;
  /** The problem in natural language. */
  readonly informal?: string | undefined;
}

export type ProverForms = (stated: Stated) => ProverForm;

/** Theorems for a prompt, best first, and an approximate limit on their tokens. */
export interface LemmaOffer {
  readonly lemmas: readonly ShownLemma[];
  readonly tokens: number;
}
export const NO_LEMMAS: LemmaOffer = { lemmas: [], tokens: 0 };

export function plainForm(statement: string): ProverForm {
  return { prompt: proverPrompt(statement), targetOf: displayProof, read: wholeAnswer };
}

/**
 * @param definitions definitions that the statement depends on, nearest first
 * @param definitionTokens approximate limit on their tokens in a prompt
 */
export function slottedForm(
  statement: string,
  definitions: readonly ShownDefinition[],
  definitionTokens: number,
  offer: LemmaOffer = NO_LEMMAS,
): ProverForm {
  const binders = readSignature(statement)?.binders ?? [];
  const shown = { marker: '<prove>', text: displayStatement(statement), binders, offer };
  return withSlots(shown, definitions, definitionTokens) ?? plainForm(statement);
}

interface MarkedText {
  readonly marker: string;
  readonly text: string;
  readonly binders: readonly Binder[];
  readonly offer?: LemmaOffer;
}

/** Returns the form of a text after a marker; null if the text contains a slot or a marker. */
export function withSlots(
  given: MarkedText,
  definitions: readonly ShownDefinition[],
  definitionTokens: number,
): ProverForm | null {
  const slotted = slottedText({ ...given, end: PROOF_MARKER }, definitions, definitionTokens);
  if (slotted === null) return null;
  const { prompt, table, lemmas } = slotted;
  return {
    prompt,
    ...(lemmas.length === 0 ? {} : { lemmas: lemmas.map(({ name }) => name) }),
    targetOf: (proof) => toSlots(displayProof(proof), table),
    read: (text) => wholeAnswer(fromSlots(text, table)),
  };
}

/**
 * Makes a prompt: definitions and lemmas, the marker, the text with slots, the end; with its slot table. Null as in
 * `withSlots`.
 */
export function slottedText(
  { marker, text, binders, end, offer = NO_LEMMAS }: MarkedText & { readonly end: string },
  definitions: readonly ShownDefinition[],
  definitionTokens: number,
): { readonly prompt: string; readonly table: SlotTable; readonly lemmas: readonly ShownLemma[] } | null {
  const { table, lines, lemmas } = shown(binders, definitions, definitionTokens, offer);
  const written = toSlots(text, table);
  if (written === null) return null;
  const all = table.functions.length === 0 ? '' : ALL_FUNCTIONS;
  const above = lines.length === 0 ? '' : `<defs>${[all, ...lines].join('\n')}`;
  return { prompt: `${above}${marker}${written}${end}`, table, lemmas };
}

/** Makes training examples from a proof; none if the form cannot express it. */
export function formExamples(form: ProverForm, proof: string, weight: number): Example[] {
  const target = form.targetOf(proof);
  return target === null ? [] : [{ prompt: form.prompt, target, weight, role: 'prover' }];
}

/** Assigns slots to the names that the prompt shows, and to no others. */
function shown(
  binders: readonly Binder[],
  definitions: readonly ShownDefinition[],
  room: number,
  offer: LemmaOffer,
): { table: SlotTable; lines: readonly string[]; lemmas: readonly ShownLemma[] } {
  let kept = definitions;
  for (;;) {
    const table = binderTable(binders, kept);
    const lines = definitionLines(kept, table, room);
    const isShown = ({ written }: ShownDefinition): boolean =>
      lines.some((line) => line.startsWith(table.slotOf.get(written) ?? '\n'));
    const next = kept.filter(isShown);
    if (next.length === kept.length) return withLemmas(binders, kept, lines, offer);
    kept = next;
  }
}

/** Adds the lemmas that fit; their slots are numbered without gaps. */
function withLemmas(
  binders: readonly Binder[],
  definitions: readonly ShownDefinition[],
  above: readonly string[],
  { lemmas, tokens }: LemmaOffer,
): { table: SlotTable; lines: readonly string[]; lemmas: readonly ShownLemma[] } {
  let offered = lemmas;
  for (;;) {
    const table = binderTable(binders, definitions, offered);
    const { kept, lines } = lemmaLines(offered, table, definitions, tokens);
    if (kept.length === offered.length) return { table, lines: [...above, ...lines], lemmas: kept };
    offered = kept;
  }
}
