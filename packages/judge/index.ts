/** Marks of language models for proofs in words. */
export { Asker } from './ask/asker.ts';
export { RateLimits, rateLimitsFile } from './ask/rate-limits.ts';
export { audit, type Compared, type SetAudit } from './audit.ts';
export { proofIn } from './candidate.ts';
export { judgeReward } from './judge-reward.ts';
export { markProof, type ProofToMark } from './mark-proof.ts';
export { scaleOf } from './scale.ts';
export { prepareWordsSet } from './words-set.ts';
