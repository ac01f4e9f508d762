/** The most recent certificates of proofs that a server has judged, as resources in memory. */
import { contentId } from '@stp/config/ids';
import type { CertificateFile } from '@stp/config/records';
import { certificateText } from '@stp/lean-verifier';

const KEPT_MAX = 1_000;
const SCHEME = 'stp-certificate://';

export class KeptCertificates {
  readonly #byId = new Map<string, CertificateFile>();

  /** Returns the address of the resource. */
  add(file: CertificateFile): string {
    const id = contentId(certificateText(file));
    // Most recent last.
    this.#byId.delete(id);
    this.#byId.set(id, file);
    if (this.#byId.size > KEPT_MAX) this.#byId.delete(this.#byId.keys().next().value!);
    return SCHEME + id;
  }

  /** Null if no certificate with this address is kept. */
  get(uri: string): CertificateFile | null {
    return uri.startsWith(SCHEME) ? (this.#byId.get(uri.slice(SCHEME.length).replace(/\/$/u, '')) ?? null) : null;
  }

  list(): { readonly uri: string; readonly file: CertificateFile }[] {
    return [...this.#byId].map(([id, file]) => ({ uri: SCHEME + id, file })).reverse();
  }
}
