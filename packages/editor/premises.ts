/**
 * Finds theorems that a proof of a goal may name, by the terms that they share with it (`packages/selfplay/retrieval`):
 * those of a file above the position, and those of this project's library if the file imports it. Reads text only; Lean
 * decides.
 */
import { statedTheorems } from '@stp/lean-explore';
import { TermRetriever, TermTableBuilder, termsOf } from '@stp/selfplay';

export interface Premise {
  /** Full name. */
  readonly name: string;
  /** The theorem as written, without its proof. */
  readonly code: string;
  /** Index of its text. */
  readonly text: number;
}

export class Premises {
  readonly #theorems: readonly Premise[];
  readonly #retriever: TermRetriever;

  /** @param texts Lean files, or beginnings of files */
  constructor(texts: readonly string[]) {
    this.#theorems = texts.flatMap((source, text) => statedTheorems(source).map((one) => ({ ...one, text })));
    const table = new TermTableBuilder();
    for (const { code } of this.#theorems) table.add(termsOf(code));
    this.#retriever = new TermRetriever(table.finish(), 'bm25');
  }

  /** Returns at most `most` theorems with distinct names, best first, except `own`, which is to be proved. */
  async find(state: string, own: string | null, most: number): Promise<Premise[]> {
    const accessible = (number: number): boolean =>
      own === null || !`.${this.#theorems[number]!.name}`.endsWith(`.${own}`);
    const [found] = await this.#retriever.retrieve([{ state, accessible }], most);
    return [
      ...new Map(found!.map(({ premise }) => [this.#theorems[premise]!.name, this.#theorems[premise]!])).values(),
    ];
  }
}
