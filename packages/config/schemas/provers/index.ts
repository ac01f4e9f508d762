/** All provers: `prover.mode` of the configuration says which one a run has. A new one has a line in `schema` and one in `PROVERS`. */
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
/** A turn of a prover in the table: it names an activity of its queue, and a name that no activity has does not compile in `workflows/`. */
export type KnownTurn = Named<Listed>;

/** Provers that `bin/stp eval --prover` takes, each with what it does. */
export const EVALUATED_PROVERS: ReadonlyMap<string, string> = new Map(
  Object.entries<Prover<ProverConfig>>(PROVERS).flatMap(([mode, { evaluated }]) =>
    evaluated === undefined ? [] : [[mode, evaluated]],
  ),
);

/** Returns the loop's view of a configured prover. */
export const proverIn = ({ mode }: Pick<ProverConfig, 'mode'>): Prover<ProverConfig, KnownTurn> => PROVERS[mode];

/** Do scripts try what the prover leaves unproved? */
export const usesScripts = (prover: ProverConfig): boolean => 'scripts' in prover && prover.scripts === 'unproved';

/** Do scripts prove statements, alone or behind a prover? */
export const provesByScripts = (prover: ProverConfig): boolean => prover.mode === 'scripts' || usesScripts(prover);

/** Do scripts try composed actions in place of their list? */
export const triesActions = (prover: ProverConfig): boolean =>
  'actions' in prover && prover.actions !== 'listed' && provesByScripts(prover);

/** The turns at a shard, those of scripts that follow the prover last. */
export const turnsOf = (prover: ProverConfig): readonly KnownTurn[] => [
  ...proverIn(prover).turns(prover),
  ...(usesScripts(prover) ? [SCRIPTS] : []),
];
