/**
 * The conjecturer `decode`: the model writes equations under a typed grammar over the functions near the seed or
 * target. Only equations that hold on test values are kept. The model uses slots, or a language model's `format`; its
 * server then gets the grammar. `both` adds explored equations to the model's.
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
