/** The loop's interface to an objective. */
export interface Objective<Config, Loss extends { readonly kind: string } = { readonly kind: string }> {
  /** Provers whose samples it can use; null: certified proofs of any prover. */
  readonly provers: readonly string[] | null;
  /** Returns the loss that the trainer computes. */
  loss(config: Config): Loss;
}
