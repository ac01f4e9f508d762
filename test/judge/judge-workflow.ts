/** The judging of one shard as a workflow of its own, with the retries of rounds. */
import type { JudgeShardInput } from '../../activities/round/judge-shard.ts';
import type { ShardResult } from '../../data/schemas/round.ts';
import { streaming } from '../../workflows/control/activity-proxies.ts';

export const judgeShard = (input: JudgeShardInput): Promise<ShardResult> => streaming('judge').judgeShard(input);
