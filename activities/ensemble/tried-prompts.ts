/**
 * Reads the attempts of a run with their outcomes, grouped by prompt: whole proofs of statements, and tactics in the
 * states of searches. The rounds' attempts train a verifier, and those of held-out evaluations measure it.
 */
import {
  expansionSchema,
  type ObjectStore,
  type ShardResult,
  sampleRewardSchema,
  shardResultSchema,
} from '@stp/config/records';
import { withoutMarks } from '@stp/lean-verifier';
import {
  leanReward,
  type ProverForms,
  type Stated,
  type StateForm,
  searchTries,
  type TriedPrompt,
} from '@stp/selfplay';
import { groupSorted } from '../records/external-sort.ts';
import { readJson, readRecords } from '../records/record-files.ts';
import { readShard } from '../round/read-shard.ts';
import { groupsOf } from '../round/shard-rewards.ts';
import { readManifests } from '../run/history.ts';
import type { RunState } from '../run/run-state.ts';

export interface TriedIn extends TriedPrompt {
  readonly statementId: string;
  readonly kind: 'proof' | 'tactic';
}

export interface Forms {
  readonly proofs: ProverForms;
  readonly states: (stated: Stated) => StateForm;
}

const UNSTOPPED = { signal: new AbortController().signal, stream: [], onProgress: () => undefined };

/** Yields the prompts that were tried in all rounds. */
export async function* triedInRounds(
  store: ObjectStore,
  { outcomes }: Pick<RunState, 'outcomes'>,
  forms: Forms,
): AsyncGenerator<TriedIn> {
  const manifests = outcomes.map(({ manifest }) => manifest);
  for (const { shards } of await readManifests(store, manifests))
    for (const shard of shards) yield* triedInShard(store, shard, forms);
}

/** Yields the prompts that evaluations tried on held-out statements. */
export async function* triedHeldOut(store: ObjectStore, forms: Forms): AsyncGenerator<TriedIn> {
  for await (const { name } of store.list('evaluation/')) {
    if (!/^evaluation\/[^/]+\/shard-\d+\/verified\.json$/u.test(name)) continue;
    const ref = await store.stat(name);
    if (ref !== null) yield* triedInShard(store, await readJson(store, ref, shardResultSchema), forms);
  }
}

async function* triedInShard(store: ObjectStore, result: ShardResult, forms: Forms): AsyncGenerator<TriedIn> {
  const shard = await readShard(store, result);
  for (const group of groupsOf(shard)) {
    const rewards = await leanReward.rewards([group], UNSTOPPED);
    const form = forms.proofs(group.statement);
    const tries = group.samples.flatMap(({ sample }, at) => {
      const reward = sampleRewardSchema.parse(rewards[at]);
      // A truncated text is not a wrong proof, and a refused answer has no text.
      if (reward.kind === 'missing' || sample.finish === 'length' || sample.refused !== undefined) return [];
      const target = form.targetOf(withoutMarks(sample.proof));
      return target === null ? [] : [{ target, isRight: reward.value === 1, leadsTo: null }];
    });
    yield { statementId: group.statement.id, kind: 'proof', prompt: form.prompt, tries };
  }
  if (result.search === undefined) return;
  const expansions = readRecords(store, result.search.expansions, expansionSchema);
  for await (const ofStatement of groupSorted(expansions, ({ statementId }) => statementId)) {
    const item = shard.items.get(ofStatement[0]!.statementId);
    if (item === undefined || item.origin === 'canary') continue;
    const formOf = forms.states(item.statement);
    for (const { expansion, tries } of searchTries(ofStatement)) {
      const form = formOf(expansion.goal);
      const written = tries.flatMap((tried) => {
        const target = form.targetOf(tried.target);
        return target === null ? [] : [{ ...tried, target }];
      });
      yield { statementId: item.statement.id, kind: 'tactic', prompt: form.prompt, tries: written };
    }
  }
}
