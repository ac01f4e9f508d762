/** A part of a memory estimate, with its formula for people to check. */
export interface Part {
  readonly what: string;
  /** GiB; for GPUs, on each GPU. */
  readonly gib: number;
  readonly formula: string;
}

export const totalGib = (parts: readonly Part[]): number => parts.reduce((sum, { gib }) => sum + gib, 0);
