/** Keeps modules on which the two kernels disagree in the cache, and prints the error. */
import { join } from 'node:path';
import { keepDisagreements, type OnDisagreement } from '@stp/lean-verifier';

export const disagreementsIn = (cacheDirectory: string): OnDisagreement =>
  keepDisagreements(join(cacheDirectory, 'disagreements'), (error) => console.error(error.toText()));
