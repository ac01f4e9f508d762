/** All conjecturers: `conjectures.source` of the configuration says who writes a run's conjectures. A new one has a line in the union and one in `CONJECTURERS`. */
import { StpError } from '@stp/base';
import { z } from 'zod';
import type { Conjecturer } from './conjecturer.ts';
import { bothSourcesSchema, decode, decodeSchema } from './decode.ts';
import { explore, exploreSchema } from './explore.ts';
import { model, modelSchema } from './model.ts';
import { none, noneSchema } from './none.ts';
import { random, randomSchema } from './random.ts';

export const conjecturerConfigSchema = z.discriminatedUnion('source', [
  noneSchema,
  modelSchema,
  exploreSchema,
  decodeSchema,
  bothSourcesSchema,
  randomSchema,
]);
export type ConjecturerConfig = z.infer<typeof conjecturerConfigSchema>;
/** A run that makes conjectures. */
export type Conjecturing = Exclude<ConjecturerConfig, { source: 'none' }>;
/** The model writes conjectures and learns from them. */
export type LearnedConjecturer = Extract<ConjecturerConfig, { source: 'model' | 'decode' | 'both' }>;

const CONJECTURERS = {
  none,
  model,
  explore,
  decode,
  both: decode,
  random,
} satisfies { readonly [Source in ConjecturerConfig['source']]: Conjecturer };

/** A conjecturer in the table, with the names of its activities: one that no activity has does not compile in `workflows/`. */
type KnownConjecturer = (typeof CONJECTURERS)[ConjecturerConfig['source']];

/** Returns the loop's view of a configured conjecturer. */
export const conjecturerIn = ({ source }: Pick<ConjecturerConfig, 'source'>): KnownConjecturer => CONJECTURERS[source];

/** Does the model write conjectures? Otherwise it does not learn from them either. */
export const hasConjecturer = (conjectures: ConjecturerConfig): conjectures is LearnedConjecturer =>
  conjecturerIn(conjectures).isLearned;

/** STP1002 where a run makes no conjectures: what asks is of a round that does. */
export function conjecturing(conjectures: ConjecturerConfig): Conjecturing {
  if (conjectures.source !== 'none') return conjectures;
  throw new StpError('STP1002', 'conjectures.source is none', 'Only a run with a conjecturer makes conjectures.');
}

/** STP1002 where the model writes no conjectures. */
export function learnedConjecturer(conjectures: ConjecturerConfig): LearnedConjecturer {
  if (hasConjecturer(conjectures)) return conjectures;
  throw new StpError(
    'STP1002',
    `conjectures.source is ${conjectures.source}`,
    'Only with the sources model, decode and both does the model write conjectures.',
  );
}

/** Returns the kind of statement that conjectures start from. A run without conjectures reads a prepared set's examples as this kind. */
export const conditionOf = (conjectures: ConjecturerConfig): Conjecturing['conditionOn']['kind'] =>
  conjectures.source === 'none' ? 'unproved-target' : conjectures.conditionOn.kind;

/** Does it write under a grammar by type? */
export const writesTyped = (conjectures: Pick<ConjecturerConfig, 'source'>): boolean =>
  conjecturerIn(conjectures).examples === 'equations';

/** Share of a round's conjectures that the ranker chooses; 0: there is none. */
export const rankedShare = (conjectures: ConjecturerConfig): number =>
  'rankedShare' in conjectures ? conjectures.rankedShare : 0;

/** Is a conjecture of the library credited for its use? */
export const rewardsUse = (conjectures: ConjecturerConfig): boolean =>
  hasConjecturer(conjectures) && conjectures.reward.kind === 'use';
