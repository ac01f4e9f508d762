/** The judging of one shard as a workflow of its own, with the retries of rounds. */

import type { ShardResult } from '@stp/config/records';
import type { JudgeShardInput } from '../../activities/control/judge-shard.ts';
import { streaming } from '../../workflows/control/activity-proxies.ts';

export const judgeShard = (input: JudgeShardInput): Promise<ShardResult> => streaming('judge').judgeShard(input);
