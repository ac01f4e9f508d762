/** Entry point of the HTTP service. It is separate from `index.ts` because it loads a web server. */
export { DEFAULT_LIMITS, type LeanServeLimits } from './serve/limits.ts';
export { startLeanServer } from './serve/server.ts';
export { refuseStaleWork, type StaleProject } from './serve/stale-project.ts';
export { FileJudge } from './serve/verdicts/file-judge.ts';
export type { GivenAnswer, ReadProof, VerdictTools } from './serve/verdicts/verdict-tools.ts';
