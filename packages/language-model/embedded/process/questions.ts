/** Open questions to processes, by key. */
export class Questions<Answer> {
  readonly #open = new Map<number, PromiseWithResolvers<Answer>>();
  #nextKey = 0;

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** Returns a key to send with the question, and the promise of its answer. */
  open(): { readonly key: number; readonly answered: Promise<Answer> } {
    const key = this.#nextKey++;
    const resolvers = Promise.withResolvers<Answer>();
    this.#open.set(key, resolvers);
    return { key, answered: resolvers.promise };
  }

  answer(key: number, answer: Answer): void {
    this.#open.get(key)?.resolve(answer);
    this.#open.delete(key);
  }

  /** Fails the questions with these keys, or all. */
  fail(error: Error, keys: Iterable<number> = this.#open.keys()): void {
    for (const key of [...keys]) {
      this.#open.get(key)?.reject(error);
      this.#open.delete(key);
    }
  }
}
