/**
 * The table of conjecturers; `conjectures.source` chooses one. A new conjecturer has a line in the union and one in
 * `CONJECTURERS`.
 */
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
/** The settings of a run that makes conjectures. */
export type Conjecturing = Exclude<ConjecturerConfig, { source: 'none' }>;
/** The settings of a run whose model writes conjectures and learns from them. */
export type LearnedConjecturer = Extract<ConjecturerConfig, { source: 'model' | 'decode' | 'both' }>;

const CONJECTURERS = {
  none,
  model,
  explore,
  decode,
  both: decode,
  random,
} satisfies { readonly [Source in ConjecturerConfig['source']]: Conjecturer };

/**
 * A conjecturer of the table, with the names of its activities. `workflows/` does not compile if no activity has the
 * name.
 */
type KnownConjecturer = (typeof CONJECTURERS)[ConjecturerConfig['source']];

/** Returns the loop's interface to a configured conjecturer. */
export const conjecturerIn = ({ source }: Pick<ConjecturerConfig, 'source'>): KnownConjecturer => CONJECTURERS[source];

/** Returns whether the model writes conjectures, and so learns from them. */
export const hasConjecturer = (conjectures: ConjecturerConfig): conjectures is LearnedConjecturer =>
  conjecturerIn(conjectures).isLearned;

/** Returns the settings of a run that makes conjectures. Throws STP1002 if the run makes none. */
export function conjecturing(conjectures: ConjecturerConfig): Conjecturing {
  if (conjectures.source !== 'none') return conjectures;
  throw new StpError('STP1002', 'conjectures.source is none', 'Only a run with a conjecturer makes conjectures.');
}

/** Returns the settings of a run whose model writes conjectures. Throws STP1002 otherwise. */
export function learnedConjecturer(conjectures: ConjecturerConfig): LearnedConjecturer {
  if (hasConjecturer(conjectures)) return conjectures;
  throw new StpError(
    'STP1002',
    `conjectures.source is ${conjectures.source}`,
    'Only with the sources model, decode and both does the model write conjectures.',
  );
}

/**
 * Returns the kind of statement that conjectures start from. Without conjectures, a prepared set's examples are read
 * as targets.
 */
export const conditionOf = (conjectures: ConjecturerConfig): Conjecturing['conditionOn']['kind'] =>
  conjectures.source === 'none' ? 'unproved-target' : conjectures.conditionOn.kind;

/** Returns whether conjectures are written under a typed grammar. */
export const writesTyped = (conjectures: Pick<ConjecturerConfig, 'source'>): boolean =>
  conjecturerIn(conjectures).examples === 'equations';

/** Returns the share of a round's conjectures that the ranker chooses; 0 means no ranker. */
export const rankedShare = (conjectures: ConjecturerConfig): number =>
  'rankedShare' in conjectures ? conjectures.rankedShare : 0;

/** Returns whether library conjectures are rewarded when proofs use them. */
export const rewardsUse = (conjectures: ConjecturerConfig): boolean =>
  hasConjecturer(conjectures) && conjectures.reward.kind === 'use';
