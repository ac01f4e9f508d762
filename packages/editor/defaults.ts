/** Facts of suggestions that the command line needs before it opens any; light, since every command reads it. */
import { availableParallelism } from 'node:os';

/** Forms of prompts, see `engines/prompts.ts`. */
export const PROMPT_KINDS = ['state', 'proof', 'llmstep', 'llemma', 'reprover'] as const;
export type PromptKind = (typeof PROMPT_KINDS)[number];

/** How many Lean processes this machine has cores for: a check waits for its process half of the time. */
export const suggestionProcesses = (): number => Math.max(1, availableParallelism());
