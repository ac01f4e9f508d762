/** The loop's view of an objective. */
export interface Objective<Config, Loss extends { readonly kind: string } = { readonly kind: string }> {
  /** Provers whose samples it takes; null: the certified proofs of any. */
  readonly provers: readonly string[] | null;
  /** Returns the loss that the trainer computes. */
  loss(config: Config): Loss;
}
