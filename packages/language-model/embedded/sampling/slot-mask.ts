/**
 * The tokens that a prompt forbids: slots that the prompt does not contain stand for nothing
 * (`packages/config/schemas/slot-tokens.ts`). One list per prompt; a step sets that many log-probabilities.
 */
import { isSlot } from '../../tokenizer/special-tokens.ts';
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';

export class SlotMask {
  /** Ids of the tokenizer's slots; none where its model knows no slots. */
  readonly #slots: readonly number[];

  constructor(tokenizer: Tokenizer) {
    this.#slots = [...tokenizer.specialTokens].flatMap(([id, token]) => (isSlot(token) ? [id] : []));
  }

  /** Ids that no completion of the prompt may have. */
  maskedFor(promptIds: readonly number[]): readonly number[] {
    if (this.#slots.length === 0) return [];
    const held = new Set(promptIds);
    return this.#slots.filter((id) => !held.has(id));
  }
}
