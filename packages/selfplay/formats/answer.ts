/**
 * Reads a proof from a model's answer. The proof is always checked under our statement. The answer's statement is
 * compared with ours, which only decides whether the answer is marked as changed, or refused.
 */

import type { PromptFormat } from '@stp/config';
import { type AnswerRefusal, PROOF_CHARS_MAX } from '@stp/config/records';
import { statementPieces, typeColon } from '@stp/lean-text';
import { afterThinking, leanBlocks, upToFence } from './code-blocks.ts';
import {
  declarationsIn,
  hasSorry,
  indent,
  sameTokens,
  scopeBelow,
  type TheoremDeclaration,
  tacticBlock,
} from './declarations.ts';
import { newOpens, underOpens } from './scope.ts';

/**
 * Most characters of a block that is read: comments and lemmas beside a proof. Reading takes less than a microsecond
 * for each character.
 */
const BLOCK_CHARS_MAX = 4 * PROOF_CHARS_MAX;
/** Options without effect: the checker limits proofs itself, and printed output proves nothing. */
const WITHOUT_EFFECT = /^set_option (?:maxHeartbeats|linter\.|pp\.|trace\.|profiler)/u;
/** Limit of `sampleSchema` on the text that was dropped. */
const DROPPED_CHARS_MAX = 512;

export type Answer =
  | {
      readonly kind: 'proof';
      readonly proof: string;
      /** Whether the answer states a theorem other than ours. */
      readonly changed: boolean;
      /**
       * Commands of the answer that are removed before the proof is tried, such as `import Mathlib; namespace A`.
       * Missing: none.
       */
      readonly dropped?: string;
    }
  | { readonly kind: 'refused'; readonly refusal: AnswerRefusal };

export interface AskedFor {
  /** `theorem NAME BINDERS : TYPE`. */
  readonly statement: string;
  readonly name: string;
  /** Definitions of the statement's header, from their keywords on. An answer may repeat them unchanged. */
  readonly given: readonly string[];
  /** The statement's header. */
  readonly header: string;
}

/** Reads an answer that is only the proof. */
export function wholeAnswer(text: string): Answer {
  return fitting({ kind: 'proof', proof: text, changed: false });
}

/** Reads the proof of our statement from an answer. Never throws. */
export function readAnswer(
  format: Pick<PromptFormat, 'prover' | 'thinking'>,
  asked: AskedFor,
  text: string,
  finish: 'stop' | 'length',
): Answer {
  const { form, whenCutOff, whenChanged } = format.prover.answer;
  const answered = afterThinking(text, format.thinking);
  if (answered === null) return refused('cut-off', 'the model did not end its thinking');
  if (form === 'text') {
    if (finish === 'length' && whenCutOff === 'refuse')
      return refused('cut-off', 'the answer ended at its token limit');
    return wholeAnswer(answered);
  }
  if (form === 'open-block') {
    const { code, isClosed } = upToFence(answered);
    if (!isClosed && finish === 'length' && whenCutOff === 'refuse')
      return refused('cut-off', 'the code block did not end before the token limit');
    return wholeAnswer(code);
  }
  const blocks = leanBlocks(answered);
  const open = blocks.at(-1);
  if (open === undefined) return refused('no-code', 'the answer has no code block of Lean');
  if (!open.isClosed && finish === 'length' && whenCutOff === 'refuse')
    return refused('cut-off', 'the last code block did not end before the token limit');
  let unproved: Answer | null = null;
  for (const { code } of blocks.toReversed()) {
    const read = readBlock(code, asked);
    if (read === null) continue;
    // A model may repeat the statement after its proof, or imitate Lean's output.
    if (read.kind === 'refused' && read.refusal.reason === 'no-theorem') {
      unproved ??= read;
      continue;
    }
    if (read.kind === 'proof' && read.changed && whenChanged === 'refuse')
      return refused('changed-statement', 'the answer states another theorem than the one asked for');
    return fitting(read);
  }
  return unproved ?? refused('no-theorem', 'no code block of the answer states a theorem');
}

/** May sampling end here? True once a block is closed whose proof has no `sorry`: later text would only repeat it. */
export function isAnswered(format: Pick<PromptFormat, 'prover' | 'thinking'>, asked: AskedFor, text: string): boolean {
  const answer = readAnswer(format, asked, text, 'length');
  return answer.kind === 'proof' && !hasSorry(answer.proof);
}

/** Returns the last theorem of the last block with a theorem: a conjecture. Null if there is none. */
export function lastTheorem(text: string): string | null {
  for (const { code } of leanBlocks(text).toReversed()) {
    if (code.length > BLOCK_CHARS_MAX) continue;
    const theorem = declarationsIn(code).findLast((one) => one.kind === 'theorem');
    if (theorem !== undefined) return `theorem ${theorem.name} ${theorem.signature}`;
  }
  return null;
}

/** Null if the block states no theorem. */
function readBlock(code: string, asked: AskedFor): Answer | null {
  if (code.length > BLOCK_CHARS_MAX)
    return refused('too-long', `a code block has ${code.length} characters, at most ${BLOCK_CHARS_MAX} are read`);
  const declarations = declarationsIn(code);
  const main = mainTheorem(
    declarations.filter((one) => one.kind === 'theorem'),
    asked,
  );
  if (main === null) return null;
  const before = declarations.slice(0, declarations.indexOf(main));
  const other = before.find(
    (one) => one.kind === 'other' && !asked.given.some((definition) => sameTokens(definition, one.text)),
  );
  if (other?.kind === 'other')
    return refused('declares-more', `the answer declares a ${other.word}, which a proof cannot bring along`);
  const lemmas = before.filter((one) => one.kind === 'theorem');
  if (main.proof === null || lemmas.some(({ proof }) => proof === null))
    return refused('no-theorem', 'a theorem of the answer has no proof after `:=`');
  const changed = !isSameStatement(main, asked);
  const inForce = scopeBelow(asked.header);
  const opens = newOpens(main.opens, inForce.opens);
  const given = new Set(inForce.others);
  const dropped = main.others.filter((command) => !given.has(command) && !WITHOUT_EFFECT.test(command));
  const block = [...lemmas.map((lemma) => localLemma(lemma, main.opens)), tacticBlock(main.proof)].join('\n');
  return {
    kind: 'proof',
    proof: opened(opens, block, dropped),
    changed,
    ...(dropped.length === 0 ? {} : { dropped: dropped.join('; ').slice(0, DROPPED_CHARS_MAX) }),
  };
}

/**
 * Opens the answer's namespaces only inside the proof, so the statement keeps its meaning. An answer with further
 * imports may open namespaces that do not exist here, so its proof is tried without them too.
 */
function opened(opens: readonly string[], block: string, dropped: readonly string[]): string {
  if (opens.length === 0) return block;
  const proof = underOpens(opens, block);
  if (!dropped.some((command) => command.startsWith('import '))) return proof;
  return `first\n| (\n${indent(proof)}\n  )\n| (\n${indent(block)}\n  )`;
}

/** Returns the theorem of our name; else one with our statement; else the last. */
function mainTheorem(theorems: readonly TheoremDeclaration[], asked: AskedFor): TheoremDeclaration | null {
  return (
    theorems.findLast(({ name }) => name === asked.name) ??
    theorems.findLast((theorem) => isSameStatement(theorem, asked)) ??
    theorems.at(-1) ??
    null
  );
}

function isSameStatement({ signature }: TheoremDeclaration, { statement, name }: AskedFor): boolean {
  return sameTokens(`theorem ${name} ${signature}`, statement);
}

/** Turns a lemma into `have`, which takes the same binders, so only the keyword changes. */
function localLemma({ name, signature, proof, opens }: TheoremDeclaration, open: readonly string[]): string {
  const own = newOpens(opens, open);
  const { pieces } = statementPieces(signature);
  const type = pieces[typeColon(pieces)]?.at ?? 0;
  const inType = own.map((open) => ` open ${open} in`).join('');
  const stated = `${signature.slice(0, type + 1)}${inType}${signature.slice(type + 1)}`;
  return `have ${name} ${stated} := by\n${indent(underOpens(own, tacticBlock(proof!)))}`;
}

function fitting(answer: Answer): Answer {
  if (answer.kind === 'refused' || answer.proof.length <= PROOF_CHARS_MAX) return answer;
  return refused('too-long', `the proof has ${answer.proof.length} characters, at most ${PROOF_CHARS_MAX} are checked`);
}

function refused(reason: AnswerRefusal['reason'], detail: string): Answer {
  return { kind: 'refused', refusal: { reason, detail } };
}
