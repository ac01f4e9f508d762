/** A theorem that a prompt shows, so that a proof may name it. */
export interface ShownLemma {
  /** Fully qualified. */
  readonly name: string;
  /** The shortest name by which a proof may call it, below the proof's header. */
  readonly written: string;
  /** The theorem without keyword and name: `{α : Type} (xs : List α) : rev (rev xs) = xs`. */
  readonly signature: string;
}
