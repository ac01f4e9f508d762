/** A finding of the screen: the refused part of a text, and its place. */
export interface Finding {
  /** Place of its first UTF-16 unit. */
  readonly offset: number;
  readonly reason: string;
  /** Default `forbidden`. */
  readonly kind?: 'forbidden' | 'sorry';
}
