/** Compares bearer keys in constant time, so that timing does not reveal how much of a guess is right. */
import { createHash, timingSafeEqual } from 'node:crypto';

export class BearerKeys {
  readonly #digests: readonly Buffer[];

  constructor(keys: readonly string[]) {
    this.#digests = keys.map(digestOf);
  }

  /** True for everyone if there are no keys. */
  admits(authorization: string | undefined): boolean {
    if (this.#digests.length === 0) return true;
    const given = digestOf(/^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '');
    // Compare with every key, so that timing does not reveal which one matched.
    return this.#digests.map((digest) => timingSafeEqual(digest, given)).includes(true);
  }
}

/** Digests have equal lengths, which `timingSafeEqual` requires. */
function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
