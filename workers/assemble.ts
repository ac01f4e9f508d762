/** Makes the ports for this machine: real Lean, the embedded engine, and the store named in the settings. */

import { Ensemble } from '@stp/language-model';
import type { LeanEnvironment } from '@stp/lean-verifier';
import type { Ports } from '../activities/ports.ts';
import { providers } from '../infra/cloud/open-provider.ts';
import { readLosses } from '../infra/monitor/losses.ts';
import { localNodes } from '../infra/nodes/local-nodes.ts';
import { ownHostQueue } from '../infra/nodes/names.ts';
import type { CleanUpScope } from '../infra/nodes/nodes.ts';
import { openStore } from '../infra/stores/open-store.ts';
import { openEngines } from './engines.ts';
import { JudgeRewards } from './judge-rewards.ts';
import { leanPorts } from './lean-ports.ts';
import { readingPorts } from './reading-ports.ts';
import { rewardSources } from './rewards.ts';
import { openRunContext } from './run-context.ts';
import { openRunMonitors } from './run-monitors.ts';
import { runProvider } from './run-provider.ts';
import { ownRunName, type WorkerSettings } from './settings.ts';
import { repositorySources } from './sources.ts';

/** Returns the task queue of this machine's host worker. */
export const localHostQueue = (): string => ownHostQueue();

export interface AssembledPorts extends Ports {
  /** Ends engines, verifiers and monitors. */
  close(): Promise<void>;
}

export async function assemblePorts(settings: WorkerSettings, environment: LeanEnvironment): Promise<AssembledPorts> {
  const { storeUri, cacheDirectory, scratchDirectory } = settings;
  const sources = repositorySources(settings.dataDirectory, environment);
  const context = await openRunContext(settings, environment);
  const { local, mark, scratch, store } = context;
  const monitors = openRunMonitors(settings, scratch);
  const judges = new JudgeRewards({ cacheDirectory, store });
  const rewards = rewardSources(judges);
  const engines = openEngines({
    modelServer: settings.modelServer,
    store,
    scratch,
    runMark: (run) => mark(run, 'model'),
    monitor: monitors.of,
    cacheDirectory,
  });
  const lean = leanPorts(context, sources);
  /** Releases warm processes of a run before a clean-up ends them, since their owners would start them anew. */
  const release = async (localName: string, what: CleanUpScope): Promise<void> => {
    await lean.verifiers.release((run) => local(run) === localName);
    if (what === 'all') await engines.release((run) => local(run) === localName);
  };
  const machine = localNodes({ scratchDirectory, taskQueue: localHostQueue(), release });
  const openProvider = providers();

  return {
    sources,
    nodes: {
      provision: (run) => machine.provision(local(run)),
      cleanUp: (run, what) => machine.cleanUp(local(run), what),
      sweep: (openRuns) => machine.sweep(openRuns?.map(local) ?? null),
      runsWithFiles: async () => (await machine.runsWithFiles()).flatMap((name) => ownRunName(storeUri, name) ?? []),
      release: (run) => machine.release(local(run)),
    },
    provider: (run, config) => runProvider(openProvider, config, { run, storeUri }),
    store,
    findObject: async (uri) => {
      const at = uri.lastIndexOf('/');
      return (await openStore(uri.slice(0, at))).stat(uri.slice(at + 1));
    },
    scratch,
    runMark: (run) => mark(run, 'model'),
    ...lean.ports,
    ...readingPorts(context, sources),
    generator: engines.generator,
    trainer: engines.trainer,
    reward: (run, name, config) => rewards[name](run, config),
    ensemble: (run, directory, threads) => Ensemble.open(directory, { threads, runMark: mark(run, 'model') }),
    alone: engines.alone,
    monitor: monitors.of,
    requireTrackers: monitors.require,
    losses: async (run) => readLosses(await monitors.path(run)),
    async close() {
      await judges.close();
      await engines.close();
      await lean.verifiers.release(() => true);
      await monitors.close();
    },
  };
}
