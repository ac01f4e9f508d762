/** The retraining set (docs/algorithm.md, section 9): the SFT set and the proofs and conjectures of all rounds, streamed. */

import {
  type ArtifactRef,
  artifactRefSchema,
  type Example,
  exampleSchema,
  type ObjectStore,
  type Proved,
  provedSchema,
  type RoundManifest,
} from '@stp/config/records';
import { exampleKey, joinsRetraining, type ProofExamples, proofKey, retrainExamples } from '@stp/selfplay';
import { withHeartbeat } from '../edge.ts';
import type { LemmaSources } from '../lemma-shelf.ts';
import type { DataSources, RunScratch, RunStore } from '../ports.ts';
import { proofExamples } from '../prover-forms.ts';
import { externalSort, firstOfEach, groupSorted } from '../records/external-sort.ts';
import { once, readRecords, writeRecords } from '../records/record-files.ts';
import { grownTheorems } from '../round/library.ts';
import type { RoundContext } from '../round/round-context.ts';
import { readManifests } from '../run/history.ts';

export function retrainSetActivity(ports: RunStore & RunScratch & DataSources<keyof LemmaSources>) {
  return {
    /** Writes SFT examples, and the proofs and conjecturer examples of all rounds, without repeats and shuffled. */
    async retrainSet(input: Omit<RoundContext, 'library'>): Promise<ArtifactRef> {
      const { run, round, config, data } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/examples.json`, artifactRefSchema, () =>
        withHeartbeat(async (signal) => {
          const directory = await ports.scratch(run);
          const manifests = await readManifests(store, input.history);
          const grown = await Array.fromAsync(grownTheorems(store, manifests.at(-1)?.library ?? null));
          const examplesOf = await proofExamples(ports.sources, config.prover, grown);
          async function* all(): AsyncGenerator<Example> {
            yield* foundExamples(store, manifests, { ...input, examplesOf }, directory, signal);
            for (const { conjecturerExamples } of manifests)
              if (conjecturerExamples !== null) yield* readRecords(store, conjecturerExamples, exampleSchema);
            yield* readRecords(store, data.sft, exampleSchema);
          }
          const key = (example: Example): string => exampleKey(example, config.seed, round, 'retrain');
          const examples = firstOfEach(externalSort(all(), { key, directory, signal }), key);
          return writeRecords(store, `${input.name}/examples.jsonl`, examples, signal);
        }),
      );
    },
  };
}

/** Yields prover examples of all rounds, grouped by statement. */
async function* foundExamples(
  store: ObjectStore,
  manifests: readonly RoundManifest[],
  { round, config, examplesOf }: Pick<RoundContext, 'round' | 'config'> & { readonly examplesOf: ProofExamples },
  directory: string,
  signal: AbortSignal,
): AsyncGenerator<Example> {
  async function* proofs(): AsyncGenerator<Proved> {
    for (const manifest of manifests)
      for await (const proof of readRecords(store, manifest.proved, provedSchema))
        if (joinsRetraining(proof, config.retrain)) yield proof;
  }
  const key = (proof: Proved): string => proofKey(proof, config.seed, round, 'retrain');
  for await (const group of groupSorted(
    externalSort(proofs(), { key, directory, signal }),
    (proof) => proof.statementId,
  ))
    yield* retrainExamples(group, config.retrain, config.selection.decayPerCharacter, examplesOf);
}
