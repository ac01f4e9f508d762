/** Sums over the finished shards of a round or an evaluation. */
import { costOf, type RunConfig, type ShardResult, sumTokens } from '@stp/config/workflow';
import type { Progress } from './contracts.ts';

export class ShardTally {
  #total = 0;
  #done: ShardResult[] = [];

  /** Starts a set of `total` shards and forgets the earlier ones. */
  begin(total: number): void {
    this.#total = total;
    this.#done = [];
  }

  add(shard: ShardResult): void {
    this.#done.push(shard);
  }

  sum(pick: (shard: ShardResult) => number): number {
    return this.#done.reduce((total, shard) => total + pick(shard), 0);
  }

  /** Returns the tokens of the answers and their cost at the given price. */
  spent(price: RunConfig['sampling']['price']): Pick<Progress, 'tokens' | 'cost'> {
    const tokens = sumTokens(this.#done);
    return { tokens: tokens.tokens, ...costOf(tokens, price) };
  }

  /** Returns the figures for the `progress` query. */
  figures(): Pick<Progress, 'shardsDone' | 'shardsTotal' | 'samples' | 'verified' | 'successes'> {
    return {
      shardsDone: this.#done.length,
      shardsTotal: this.#total,
      samples: this.sum((shard) => shard.sampleCount),
      verified: this.sum((shard) => Object.values(shard.verdictCounts).reduce((a, b) => a + b, 0)),
      successes: this.sum((shard) => shard.verdictCounts.proved ?? 0),
    };
  }
}
