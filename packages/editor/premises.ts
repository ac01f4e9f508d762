/**
 * Theorems that a proof of a goal may name, found by the terms that they share with it (`packages/selfplay/retrieval`): those of a file
 * above the place, and those of this project's library where the file imports it. Reads text only; Lean decides.
 */
import { statedTheorems } from '@stp/lean-explore';
import { TermRetriever, TermTableBuilder, termsOf } from '@stp/selfplay';

export class Premises {
  readonly #names: readonly string[];
  readonly #retriever: TermRetriever;

  /** @param texts Lean files, or beginnings of such */
  constructor(texts: readonly string[]) {
    const theorems = texts.flatMap(statedTheorems);
    const table = new TermTableBuilder();
    for (const { code } of theorems) table.add(termsOf(code));
    this.#names = theorems.map(({ name }) => name);
    this.#retriever = new TermRetriever(table.finish(), 'bm25');
  }

  /** Finds at most `most` full names, the best first, without `own`: what is to be proved. */
  async find(state: string, own: string | null, most: number): Promise<string[]> {
    const accessible = (number: number): boolean => own === null || !`.${this.#names[number]}`.endsWith(`.${own}`);
    const [found] = await this.#retriever.retrieve([{ state, accessible }], most);
    return [...new Set(found!.map(({ premise }) => this.#names[premise]!))];
  }
}
