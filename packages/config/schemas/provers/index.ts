/** The table of provers; `prover.mode` chooses one. A new prover has a line in `schema` and one in `PROVERS`. */
import { z } from 'zod';
import { judged, judgedSchema } from './judged.ts';
import type { Prover, ProverTurn } from './prover.ts';
import { revise, reviseSchema } from './revise.ts';
import { SCRIPTS, scripts, scriptsSchema } from './scripts.ts';
import { bothProver, bothSchema, stepsProver, stepsSchema } from './steps.ts';
import { walks, walksProverSchema } from './walks.ts';
import { whole, wholeSchema } from './whole.ts';

const schema = z.discriminatedUnion('mode', [
  wholeSchema,
  reviseSchema,
  stepsSchema,
  bothSchema,
  walksProverSchema,
  judgedSchema,
  scriptsSchema,
]);

export const proverConfigSchema = schema.refine(
  (prover) => prover.slots || (prover.customFormat !== null) === (prover.format === 'custom'),
  { path: ['customFormat'], message: 'must be given with the format custom, and with no other' },
);
export type ProverConfig = z.infer<typeof proverConfigSchema>;
export type ProverMode = ProverConfig['mode'];
/** The configuration of one prover. */
export type ProverOf<Mode extends ProverMode> = Extract<ProverConfig, { mode: Mode }>;

const PROVERS = {
  whole,
  revise,
  steps: stepsProver,
  both: bothProver,
  walks,
  judged,
  scripts,
} satisfies { readonly [Mode in ProverMode]: Prover<ProverOf<Mode>> };

type Listed = ReturnType<(typeof PROVERS)[ProverMode]['turns']>[number];
type Named<Turn> = Turn extends ProverTurn ? ProverTurn & Pick<Turn, 'activity' | 'queue'> : never;
/**
 * A turn of a prover of the table, with the name and the queue of its activity. `workflows/` does not compile if no
 * activity has the name.
 */
export type KnownTurn = Named<Listed>;

/** Provers that `bin/stp eval --prover` accepts, each with a description. */
export const EVALUATED_PROVERS: ReadonlyMap<string, string> = new Map(
  Object.entries<Prover<ProverConfig>>(PROVERS).flatMap(([mode, { evaluated }]) =>
    evaluated === undefined ? [] : [[mode, evaluated]],
  ),
);

/** Returns the loop's interface to a configured prover. */
export const proverIn = ({ mode }: Pick<ProverConfig, 'mode'>): Prover<ProverConfig, KnownTurn> => PROVERS[mode];

/** Returns whether scripts try the statements that the prover leaves unproved. */
export const usesScripts = (prover: ProverConfig): boolean => 'scripts' in prover && prover.scripts === 'unproved';

/** Returns whether scripts prove statements, alone or after a prover. */
export const provesByScripts = (prover: ProverConfig): boolean => prover.mode === 'scripts' || usesScripts(prover);

/** Returns whether scripts try composed actions instead of their list. */
export const triesActions = (prover: ProverConfig): boolean =>
  'actions' in prover && prover.actions !== 'listed' && provesByScripts(prover);

/** Returns whether a ranker orders the actions. */
export const learnsOrder = (prover: ProverConfig): boolean =>
  triesActions(prover) && 'actions' in prover && prover.actions === 'learned';

/** Returns the name of the ranker that the run's order of actions starts from, or null. */
export const startingRanker = (prover: ProverConfig): string | null =>
  learnsOrder(prover) && 'rankerFrom' in prover ? prover.rankerFrom : null;

/** Returns the turns for a shard; the scripts' turn comes last. */
export const turnsOf = (prover: ProverConfig): readonly KnownTurn[] => [
  ...proverIn(prover).turns(prover),
  ...(usesScripts(prover) ? [SCRIPTS] : []),
];
