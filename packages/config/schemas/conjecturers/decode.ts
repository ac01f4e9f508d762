/**
 * The conjecturer `decode`: the model writes equations under a grammar by type over the functions near the seed or target, and what
 * it writes has to hold on test values. It takes slots, or a `format` of a language model, whose server gets the grammar. `both`:
 * explored equations beside the model's.
 */
import { z } from 'zod';
import { conjecturing } from './conditions.ts';
import type { Conjecturer } from './conjecturer.ts';
import { exploration, functionsRead } from './explore.ts';
import { learnedConjecturer } from './learned.ts';

export const decodeSchema = z.strictObject({
  source: z.literal('decode'),
  ...conjecturing,
  ...functionsRead,
  ...learnedConjecturer,
});
export const bothSourcesSchema = z.strictObject({
  source: z.literal('both'),
  ...conjecturing,
  ...exploration,
  ...learnedConjecturer,
});

export const decode = {
  before: { activity: 'giveGrammars', doing: 'read the functions of' },
  isLearned: true,
  examples: 'equations',
  after: { activity: 'testConjectures', doing: 'test equations of' },
} as const satisfies Conjecturer;
