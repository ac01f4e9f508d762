/**
 * Collects pass rates and distinct proofs after the last shard of a round or of one of its passes. One shard is in
 * memory at a time.
 */

import type { Proved, Rate, ShardResult } from '@stp/config/records';
import { countRates, passRate } from '@stp/selfplay';
import { withHeartbeat } from '../edge.ts';
import type { RunStore } from '../ports.ts';
import { once } from '../records/record-files.ts';
import { withWriters } from '../records/record-writer.ts';
import { type Collected, collectedSchema } from '../round/collected.ts';
import { foundProof } from '../round/found-proof.ts';
import { readShard, type Shard } from '../round/read-shard.ts';
import type { RoundContext } from '../round/round-context.ts';

export interface CollectRoundInput extends RoundContext {
  readonly shards: readonly ShardResult[];
}

export function collectRoundActivity(ports: RunStore) {
  return {
    /** Writes the rates of all statements except canaries, and every distinct proof with its certificate. */
    async collectRound(input: CollectRoundInput): Promise<Collected> {
      const store = await ports.store(input.run);
      return once(store, `${input.name}/collected.json`, collectedSchema, () =>
        withHeartbeat((signal, report) =>
          withWriters(['rates', 'proved'], async (writers) => {
            let disagreements = 0;
            for (const [index, result] of input.shards.entries()) {
              signal.throwIfAborted();
              const shard = await readShard(store, result);
              const rates = countRates(shard, (id) => originOf(shard, id));
              for (const rate of rates) await writers.rates.write(rate);
              for (const proof of shardProofs(shard, rates, input.round)) await writers.proved.write(proof);
              for (const { isDisagreement } of shard.verdicts.values()) if (isDisagreement) disagreements++;
              report({ shards: index + 1, of: input.shards.length });
            }
            return {
              rates: await writers.rates.put(store, `${input.name}/rates.jsonl`, signal),
              proved: await writers.proved.put(store, `${input.name}/proved-*.jsonl`, signal),
              disagreements,
            };
          }),
        ),
      );
    },
  };
}

/** Samples of canaries are left out before, so a statement that is no conjecture belongs to the dataset. */
const originOf = (shard: Shard, statementId: string): Rate['origin'] =>
  shard.items.get(statementId)!.origin === 'conjecture' ? 'conjecture' : 'dataset';

/** Proofs in order of their samples. */
function* shardProofs(shard: Shard, rates: readonly Rate[], round: number): Generator<Proved> {
  const rateOf = new Map(rates.map((rate) => [rate.statementId, passRate(rate)]));
  for (const sample of shard.samples) {
    const verdict = shard.verdicts.get(sample.id);
    if (verdict?.kind !== 'proved') continue;
    const { statement } = shard.items.get(sample.statementId)!;
    const { id } = statement;
    yield foundProof(statement, sample, verdict, {
      origin: originOf(shard, id),
      round,
      passRate: rateOf.get(id) ?? 0,
    });
  }
}
