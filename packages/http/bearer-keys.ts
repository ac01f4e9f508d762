/** Compares bearer keys in a time that does not depend on how much of a guess is right. */
import { createHash, timingSafeEqual } from 'node:crypto';

export class BearerKeys {
  readonly #digests: readonly Buffer[];

  constructor(keys: readonly string[]) {
    this.#digests = keys.map(digestOf);
  }

  /** True for everyone when there are no keys. */
  admits(authorization: string | undefined): boolean {
    if (this.#digests.length === 0) return true;
    const given = digestOf(/^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '');
    // Every key is compared, so that the time does not tell which one it was either.
    return this.#digests.map((digest) => timingSafeEqual(digest, given)).includes(true);
  }
}

/** Digests have one length, which `timingSafeEqual` asks for. */
function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
