/** A finding of the screen: a refused part of a text, and its position. */
export interface Finding {
  /** Offset of its first UTF-16 unit. */
  readonly offset: number;
  readonly reason: string;
  /** Default: `forbidden`. */
  readonly kind?: 'forbidden' | 'sorry';
}
