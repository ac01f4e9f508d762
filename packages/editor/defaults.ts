/**
 * Facts about suggestions that the command line shows in its help. Few imports, because every command loads this file.
 */
import { availableParallelism } from 'node:os';

/** Kinds of prompts, see `engines/prompts.ts`. */
export const PROMPT_KINDS = ['state', 'proof', 'llmstep', 'llemma', 'reprover'] as const;
export type PromptKind = (typeof PROMPT_KINDS)[number];

/** Returns the number of Lean processes for this machine's cores: a check waits for its process half of the time. */
export const suggestionProcesses = (): number => Math.max(1, availableParallelism());
