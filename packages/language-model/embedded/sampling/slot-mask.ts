/**
 * The tokens that a prompt forbids: slots that the prompt does not contain have no meaning
 * (`packages/config/schemas/slot-tokens.ts`). Each prompt has one list, and a step masks its log-probabilities.
 */
import { isSlot } from '../../tokenizer/special-tokens.ts';
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';

export class SlotMask {
  /** Ids of the tokenizer's slots; empty if its model uses no slots. */
  readonly #slots: readonly number[];

  constructor(tokenizer: Tokenizer) {
    this.#slots = [...tokenizer.specialTokens].flatMap(([id, token]) => (isSlot(token) ? [id] : []));
  }

  /** Returns the ids that no completion of the prompt may contain. */
  maskedFor(promptIds: readonly number[]): readonly number[] {
    if (this.#slots.length === 0) return [];
    const held = new Set(promptIds);
    return this.#slots.filter((id) => !held.has(id));
  }
}
