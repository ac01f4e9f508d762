/**
 * State between runs: every round leaves the run's state in its store (`state/round-N.json`), and a run can start from
 * the state of another one, from its SFT model alone or from any of its rounds (stp.md F19).
 */

import { StpError } from '@stp/base';
import { conditionOf, type RunConfig, type StartInput } from '@stp/config';
import type { ObjectStore } from '@stp/config/records';
import { z } from 'zod';
import { logMetrics } from '../metrics.ts';
import type { Ports } from '../ports.ts';
import { once, readJson } from '../records/record-files.ts';
import { type Trained, trainedSchema } from '../training/training.ts';
import { type PreparedData, preparedDataSchema } from './datasets.ts';
import { describeRounds, lastRound, SFT_ONLY, stateName } from './finished-rounds.ts';
import { roundMetrics } from './round-metrics.ts';
import { type RunState, runStateSchema } from './run-state.ts';

/** What a run takes over: the SFT model alone, or everything up to a round. */
export const takenOverSchema = z.strictObject({ sft: trainedSchema, state: runStateSchema.nullable() });
export interface TakenOver {
  readonly sft: Trained;
  readonly state: RunState | null;
}

export function takeOverActivities(ports: Ports) {
  return {
    /** Stores the state that the next round starts from. */
    async saveState(run: string, state: RunState): Promise<void> {
      const store = await ports.store(run);
      // A run that is started again passes here again, with other times of its stages: the first copy stays.
      await once(store, stateName(state.nextRound - 1), runStateSchema, async () => state);
      await logMetrics(ports, run, roundMetrics(state));
    },

    /**
     * Reads what `start.initFrom` has left. What the SFT model or the statements depend on and this run has otherwise
     * (shape, SFT, data, what conjectures are conditioned on) is STP1002: the figures would not belong to this run's
     * configuration. The SFT model alone asks for the same seed as well, which chooses the theorems that it was not trained
     * on: with another this run would hold out theorems that the model has seen.
     */
    async takeOver(run: string, start: StartInput, config: RunConfig): Promise<TakenOver> {
      const store = await ports.store(run);
      return once(store, 'taken-over.json', takenOverSchema, async () => {
        const source = nameOfRun(start.initFrom!, store.root);
        const other = await ports.store(source);
        const round = start.fromRound ?? (await lastRound(other));
        const ref = await other.stat(stateName(round));
        if (ref === null)
          throw new StpError(
            'STP1002',
            `run ${source} has no ${round === SFT_ONLY ? 'SFT model' : `round ${round}`} to start from`,
            `It has finished ${await describeRounds(other)}.`,
          );
        const state = await readJson(store, ref, runStateSchema);
        requireSame(source, 'model', state.config.model, config.model);
        requireSame(source, 'sft', state.config.sft, config.sft);
        requireSame(source, 'data', state.config.data, config.data);
        const condition = conditionOf(config.conjectures);
        requireSame(source, 'conjectures.conditionOn.kind', conditionOf(state.config.conjectures), condition);
        if (round === SFT_ONLY) {
          requireSame(source, 'seed', state.config.seed, config.seed);
          return { sft: state.sft, state: null };
        }
        return { sft: state.sft, state: { ...state, config, failures: [], secondsPerStage: {} } };
      });
    },
  };
}

/** The statements and sets of a run, its own or those it took over; null before there are any. */
export async function preparedDataOf(store: ObjectStore): Promise<PreparedData | null> {
  const own = await store.stat('data/prepared.json');
  if (own !== null) return readJson(store, own, preparedDataSchema);
  const taken = await store.stat('taken-over.json');
  return taken === null ? null : ((await readJson(store, taken, takenOverSchema)).state?.data ?? null);
}

/** A run's name from a name, a path or a URI; one that lies elsewhere cannot be read (see `infra/stores/neighbours.ts`). */
export function nameOfRun(initFrom: string, ownRoot: string): string {
  const place = ownRoot.slice(0, ownRoot.lastIndexOf('/'));
  const name = initFrom.startsWith(`${place}/`) ? initFrom.slice(place.length + 1).replace(/\/+$/, '') : initFrom;
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw new StpError(
    'STP1002',
    `${JSON.stringify(initFrom.slice(0, 200))} names no run in ${place}`,
    'Give the name of a run in the same place as this one.',
  );
}

function requireSame(source: string, key: string, had: unknown, wanted: unknown): void {
  if (JSON.stringify(had) === JSON.stringify(wanted)) return;
  throw new StpError(
    'STP1002',
    `run ${source} has another "${key}" configuration than this run`,
    `Give both the same "${key}"; \`bin/stp config\` shows them.`,
    { facts: { had, wanted } },
  );
}
