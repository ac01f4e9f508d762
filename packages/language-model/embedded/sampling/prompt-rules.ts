/**
 * The tokens that samples of a prompt may contain, whatever the engine: no slot that the prompt lacks, and only words of
 * proofs if the checkpoint lists them.
 */
import { PROOF_MARKER } from '@stp/config/words';
import type { ProofWords } from '../../tokenizer/proof-words.ts';
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';
import { ProofTokens, ProofWriter } from '../proof-grammar/proof-writer.ts';
import { SlotMask } from './slot-mask.ts';

/** Decides which tokens may follow in one sample. */
export interface Writer {
  allowed(): readonly number[];
  push(id: number): void;
}

export interface PromptRules {
  /** Ids that no sample may contain. */
  readonly masked: readonly number[];
  /** Makes the writer of a sample; null for free text. */
  readonly newWriter: (() => Writer) | null;
}

export class ModelRules {
  readonly #mask: SlotMask;
  readonly #proofs: ProofTokens | null;

  /** @param proofWords words that proofs may contain; null: any text */
  constructor(tokenizer: Tokenizer, proofWords: ProofWords | null) {
    this.#mask = new SlotMask(tokenizer);
    this.#proofs = proofWords === null ? null : new ProofTokens(proofWords, tokenizer);
  }

  rulesFor(prompt: string, ids: readonly number[]): PromptRules {
    const masked = this.#mask.maskedFor(ids);
    const proofs = this.#proofs;
    if (proofs === null || !prompt.endsWith(PROOF_MARKER)) return { masked, newWriter: null };
    const own = proofs.promptOf(prompt, ids);
    return { masked, newWriter: () => new ProofWriter(proofs, own) };
  }
}
