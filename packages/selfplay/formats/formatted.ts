/** The forms in which a model family sees statements and conjecturing tasks, made from its prompt format. */

import type { PromptFormat } from '@stp/config';
import type { ChatMessage, Example, ShownLemma } from '@stp/config/records';
import { declarationHead, ownDefinitions } from '@stp/lean-text';
import { type ConjectureOrigin, displayProof, displayStatement, namedStatement, parseConjecture } from '../prompts.ts';
import { lemmasWithin, lemmaText } from '../slots/lemma-text.ts';
import { type LemmaOffer, NO_LEMMAS, type ProverForm, type Stated } from '../slots/prover-form.ts';
import { isAnswered, lastTheorem, readAnswer } from './answer.ts';
import { afterThinking, mayEndTheorem } from './code-blocks.ts';
import { indent } from './declarations.ts';
import { fill } from './fill.ts';

/** A prompt for an engine: text, and the messages for a chat. */
export interface Prompt {
  readonly prompt: string;
  readonly messages?: readonly ChatMessage[];
}

/** @param libraryHeader header of a statement whose header is null */
export function formattedForm(
  format: PromptFormat,
  stated: Stated,
  libraryHeader: string,
  offer: LemmaOffer = NO_LEMMAS,
): ProverForm {
  const { prover } = format;
  const values = statedValues(stated, libraryHeader);
  const lemmas = lemmasWithin(offer.lemmas, offer.tokens);
  const given = ownDefinitions(stated.header).map(({ text }) => text);
  const asked = { statement: stated.statement, name: values.name, given, header: stated.header ?? libraryHeader };
  return {
    ...asPrompt(format, [{ role: 'user', content: shownWith(lemmas, prover.prompt, values) }]),
    ...(lemmas.length === 0 ? {} : { lemmas: lemmas.map(({ name }) => name) }),
    targetOf(proof) {
      const plain = displayProof(proof);
      return fill(prover.target, { ...values, proof: plain, indentedProof: indent(plain) });
    },
    read: (text, finish) => readAnswer(format, asked, text, finish),
    // Other forms of answers end by the model or the stop texts.
    ...(prover.answer.form === 'code-block'
      ? { isComplete: (text: string) => mayEndTheorem(text) && isAnswered(format, asked, text) }
      : {}),
  };
}

/** Puts the lemmas below the header if the prompt shows one, and otherwise before the prompt. */
function shownWith(lemmas: readonly ShownLemma[], prompt: string, values: ReturnType<typeof statedValues>): string {
  if (lemmas.length === 0) return fill(prompt, values);
  const above = lemmaText(lemmas);
  const { header, spacedHeader } = values;
  const shown = fill(prompt, {
    ...values,
    header: `${header}\n\n${above}`,
    spacedHeader: `${spacedHeader}\n\n${above}`,
  });
  return shown.includes(above) ? shown : `${above}\n${shown}`;
}

/** The conjecturer's prompts in one format, and how its answers are read and trained. */
export interface ConjecturerForm {
  /** Makes the prompt. `withLemma` false: omit the requested lemma (docs/algorithm.md, section 7). */
  promptOf(asked: ConjectureTask, withLemma?: boolean): Prompt;
  /** Reads the conjecture in an answer as a statement of this name; null if there is none. */
  read(text: string, name: string): string | null;
  exampleOf(asked: ConjectureTask, withLemma: boolean, statement: string, weight: number): Example;
}

export interface ConjectureTask {
  /** Null: the library's header. */
  readonly header: string | null;
  readonly origin: ConjectureOrigin;
}

export function conjecturerForm(format: PromptFormat, libraryHeader: string): ConjecturerForm {
  const { conjecturer } = format;
  const promptOf = ({ header, origin }: ConjectureTask, withLemma = true): Prompt => {
    const content =
      origin.kind === 'target'
        ? fill(conjecturer.targetPrompt, {
            ...headerValues(header ?? libraryHeader),
            targetStatement: origin.targetStatement,
            shownTarget: displayStatement(origin.targetStatement),
          })
        : fill(conjecturer.prompt, {
            ...headerValues(header ?? libraryHeader),
            ...lemmaValues(withLemma ? origin.lemmaStatement : null, conjecturer.noLemma),
            easyStatement: origin.easyStatement,
            shownEasy: displayStatement(origin.easyStatement),
            easyProof: displayProof(origin.easyProof),
            indentedEasyProof: indent(displayProof(origin.easyProof)),
          });
    return asPrompt(format, [{ role: 'user', content }]);
  };
  // If the prompt ends with the keyword, the answer starts at the name.
  const opening = /\btheorem$/u.test(conjecturer.prompt) ? 'theorem' : '';
  return {
    promptOf,
    read(text, name) {
      const answered = afterThinking(text, format.thinking);
      if (answered === null) return null;
      const theorem = conjecturer.form === 'text' ? opening + answered : lastTheorem(answered);
      return theorem === null ? null : parseConjecture(theorem, name);
    },
    exampleOf: (asked, withLemma, statement, weight) => ({
      prompt: promptOf(asked, withLemma).prompt,
      target: fill(conjecturer.target, {
        statement,
        shownStatement: displayStatement(statement),
        namedStatement: namedStatement(statement),
      }),
      weight,
      role: 'conjecturer',
    }),
  };
}

/** Makes an engine's prompt from messages; the format's system text comes first. */
export function asPrompt(format: PromptFormat, messages: readonly ChatMessage[]): Prompt {
  if (format.mode === 'completion') return { prompt: messages.map(({ content }) => content).join('') };
  const system: ChatMessage[] = format.system === null ? [] : [{ role: 'system', content: format.system }];
  const all = [...system, ...messages];
  return { prompt: transcript(format, all), messages: all };
}

/** Writes a chat as its tokenizer's template does, up to the start of the model's answer. */
function transcript({ marks }: PromptFormat, messages: readonly ChatMessage[]): string {
  const written = messages.map(({ role, content }) => `${marks![role][0]}${content}${marks![role][1]}`);
  return written.join('') + marks!.assistant[0];
}

function statedValues({ header, statement, informal }: Stated, libraryHeader: string) {
  return {
    ...headerValues(header ?? libraryHeader),
    name: declarationHead(statement)?.name ?? '',
    // The problem's text must not end our comment.
    comment: informal === undefined ? '' : `/-- ${informal.replaceAll('-/', '- /')}-/\n`,
    problem: informal ?? `${statement} := by`,
    statement,
    shownStatement: displayStatement(statement),
  };
}

function headerValues(header: string) {
  return { header: header.trim(), spacedHeader: spaced(header) };
}

function lemmaValues(lemma: string | null, noLemma: string) {
  return { lemmaStatement: lemma ?? noLemma, shownLemma: lemma === null ? noLemma : displayStatement(lemma) };
}

const DEFINITION_LINE = /^(?:noncomputable\s+)?(?:def|abbrev)\s/u;

/**
 * Puts one blank line between commands of different kinds, as model cards format headers; data files do not.
 * Definitions and all text below them are unchanged.
 */
function spaced(header: string): string {
  const all = header.trim().split('\n');
  const first = all.findIndex((line) => DEFINITION_LINE.test(line));
  const [above, below] = first < 0 ? [all, []] : [all.slice(0, first), all.slice(first)];
  const lines = above.filter((line) => line.trim() !== '');
  const wordOf = (line: string): string => line.trim().split(/\s/u)[0]!;
  const opening = lines
    .map((line, index) => (index > 0 && wordOf(line) !== wordOf(lines[index - 1]!) ? `\n${line}` : line))
    .join('\n');
  return [opening, below.join('\n')].filter((part) => part !== '').join('\n\n');
}
