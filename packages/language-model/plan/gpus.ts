/** Accelerators that a plan knows, with dense figures (without sparsity) from the makers' data sheets. */

export interface Gpu {
  readonly name: string;
  readonly memoryGib: number;
  /** bfloat16, 10¹² operations a second. */
  readonly teraflops: number;
  /** Memory bandwidth, 10⁹ bytes a second. */
  readonly gigabytesPerSecond: number;
}

export const GPUS: readonly Gpu[] = [
  { name: 'l4', memoryGib: 24, teraflops: 121, gigabytesPerSecond: 300 },
  { name: 'rtx-4090', memoryGib: 24, teraflops: 165, gigabytesPerSecond: 1_008 },
  { name: 'a100-40', memoryGib: 40, teraflops: 312, gigabytesPerSecond: 1_555 },
  { name: 'l40s', memoryGib: 48, teraflops: 362, gigabytesPerSecond: 864 },
  { name: 'a100-80', memoryGib: 80, teraflops: 312, gigabytesPerSecond: 2_039 },
  { name: 'h100', memoryGib: 80, teraflops: 989, gigabytesPerSecond: 3_350 },
  { name: 'h200', memoryGib: 141, teraflops: 989, gigabytesPerSecond: 4_800 },
];
