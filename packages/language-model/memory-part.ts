/** A part of an estimate of memory, with the formula it comes from, so that a person can check it. */
export interface Part {
  readonly what: string;
  /** GiB; on each GPU, where the estimate is of GPUs. */
  readonly gib: number;
  readonly formula: string;
}

export const totalGib = (parts: readonly Part[]): number => parts.reduce((sum, { gib }) => sum + gib, 0);
