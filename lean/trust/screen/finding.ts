/** What a look at a text found that is refused, and where. */
export interface Finding {
  /** Of its first UTF-16 unit. */
  readonly offset: number;
  readonly reason: string;
  /** Default `forbidden`. */
  readonly kind?: 'forbidden' | 'sorry';
}
