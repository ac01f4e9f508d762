/**
 * Rewards by judges on this machine. Their answers are stored in the run's store; their limits are those of the
 * machine.
 */
import type { Judging, ObjectStore } from '@stp/config/records';
import { Asker, judgeReward, RateLimits, rateLimitsFile } from '@stp/judge';
import type { RewardSource } from '@stp/selfplay';

export interface JudgeRewardsOptions {
  readonly cacheDirectory: string;
  readonly store: (run: string) => Promise<ObjectStore>;
}

export class JudgeRewards {
  readonly #options: JudgeRewardsOptions;
  readonly #askers = new Map<string, Promise<Asker>>();
  #limits: RateLimits | null = null;

  constructor(options: JudgeRewardsOptions) {
    this.#options = options;
  }

  source(run: string, judging: Judging): RewardSource {
    return {
      name: 'judge',
      rewards: async (groups, options) => {
        // The shard names the random choices, so they do not depend on the machine.
        const asker = (await this.#asker(run, judging)).for(options.stream.join(' '));
        const rewards = await judgeReward(asker, judging).rewards(groups, options);
        options.onSpent?.(asker.spent);
        return rewards;
      },
    };
  }

  async close(): Promise<void> {
    for (const asker of this.#askers.values()) await asker.then((open) => open.close()).catch(() => undefined);
    this.#limits?.close();
  }

  #asker(run: string, judging: Judging): Promise<Asker> {
    const key = JSON.stringify([run, judging]);
    const open = this.#askers.get(key);
    if (open !== undefined) return open;
    this.#limits ??= new RateLimits(rateLimitsFile(this.#options.cacheDirectory));
    const limits = this.#limits;
    const opening = this.#options.store(run).then((store) => new Asker({ ...judging, store, limits }));
    this.#askers.set(key, opening);
    opening.catch(() => this.#askers.delete(key));
    return opening;
  }
}
