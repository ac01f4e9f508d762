/**
 * A worker that judges, as a process of its own, so that it can be killed. Arguments: address of the Temporal server, queue, folder of
 * the run's store, folder of the machine's limits.
 */

import { judgeShardActivity } from '../../activities/control/judge-shard.ts';
import type { Ports } from '../../activities/ports.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { JudgeRewards } from '../../workers/judge-rewards.ts';
import { runNodeWorker, silentMonitor } from '../support/node-worker.ts';

const [address = '', taskQueue = '', folder = '', cacheDirectory = ''] = process.argv.slice(2);
const store = () => openStore(folder);
const judges = new JudgeRewards({ cacheDirectory, store });
const ports: Pick<Ports, 'store' | 'monitor' | 'reward'> = {
  store,
  monitor: silentMonitor,
  reward: (run, _name, judging) => judges.source(run, judging!),
};
await runNodeWorker(address, taskQueue, judgeShardActivity(ports));
