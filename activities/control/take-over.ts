/** Takes over the state of another run, its SFT model alone or any of its rounds (`start.initFrom`). */

import { StpError } from '@stp/base';
import { conditionOf, learnsOrder, type RunConfig, type StartInput, startingRanker } from '@stp/config';
import type { RunStore } from '../ports.ts';
import { once, readJson } from '../records/record-files.ts';
import { describeRounds, lastRound, SFT_ONLY, stateName } from '../run/finished-rounds.ts';
import { runStateSchema } from '../run/run-state.ts';
import { nameOfRun, type TakenOver, takenOverSchema } from '../run/taken-over.ts';

export function takeOverActivity(ports: RunStore) {
  return {
    /**
     * Reads the state of the run that `start.initFrom` names. Throws STP1002 if this run differs in what the SFT model
     * or the statements depend on: shape, SFT, data, or what conjectures are conditioned on. Taking over the SFT model
     * alone also needs the same seed, because the seed chooses the held-out theorems. With another seed this run would
     * hold out theorems that the model was trained on. A learned order needs the same ranker to start from, because its
     * weights are taken over with the data.
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
        if (learnsOrder(config.prover)) {
          const [had, wanted] = [state.config, config].map(({ prover }) => startingRanker(prover));
          requireSame(source, 'prover.rankerFrom', had, wanted);
        }
        return { sft: state.sft, state: { ...state, config, failures: [], secondsPerStage: {} } };
      });
    },
  };
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
