/** Makes the ports for this machine: real Lean, the embedded engine, the store named in the settings. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunPart, writeRunMark } from '@stp/base/files';
import { contentId } from '@stp/config/ids';
import { libraryTheoremSchema, type ObjectStore } from '@stp/config/records';
import { Ensemble } from '@stp/language-model';
import {
  type ContextTask,
  deeperLimits,
  exploreInThreads,
  growable,
  growEnvironment,
  keepRows,
  openSteps,
  PORTFOLIO_VERSION,
  readRecord,
  readStatements,
  statementContexts,
  testEquations,
  unexplored,
  untested,
} from '@stp/lean-explore';
import {
  type CheckFileOptions,
  checkFile,
  type LeanEnvironment,
  LIBRARY_HEADER,
  limitClasses,
  openLeanHost,
  openSandbox,
  openVerifier,
  type Sandbox,
  type SandboxFacts,
  type SandboxPolicy,
} from '@stp/lean-verifier';
import { TRIVIAL_PROOF } from '@stp/selfplay';
import type { Ports, VerificationLimits } from '../activities/ports.ts';
import { readRecords } from '../activities/records/record-files.ts';
import { preparedDataOf } from '../activities/run/taken-over.ts';
import { providers } from '../infra/cloud/open-provider.ts';
import { readLosses } from '../infra/monitor/losses.ts';
import { localNodes } from '../infra/nodes/local-nodes.ts';
import { ownHostQueue } from '../infra/nodes/names.ts';
import type { CleanUpScope } from '../infra/nodes/nodes.ts';
import { ownerOfThisProcess } from '../infra/processes.ts';
import { withNeighbours } from '../infra/stores/neighbours.ts';
import { openStore } from '../infra/stores/open-store.ts';
import { openEngines } from './engines.ts';
import { explored } from './explored.ts';
import { JudgeRewards } from './judge-rewards.ts';
import { remoteVerifier } from './remote-verifier.ts';
import { rewardSources } from './rewards.ts';
import { openRunMonitors } from './run-monitors.ts';
import { runProvider } from './run-provider.ts';
import { RunVerifiers } from './run-verifiers.ts';
import { localRunName, ownRunName, type WorkerSettings } from './settings.ts';
import { repositorySources } from './sources.ts';

/** Task queue of this machine's host worker. */
export const localHostQueue = (): string => ownHostQueue();

export interface AssembledPorts extends Ports {
  /** Ends engines, verifiers and monitors. */
  close(): Promise<void>;
}

export async function assemblePorts(settings: WorkerSettings, environment: LeanEnvironment): Promise<AssembledPorts> {
  const sources = repositorySources(settings.dataDirectory, environment);
  const host = openLeanHost();
  const local = (run: string): string => localRunName(settings.storeUri, run);
  const owner = await ownerOfThisProcess();
  const mark = (run: string, part: RunPart): string => writeRunMark(local(run), owner, part);
  const scratch = async (run: string): Promise<string> => {
    const directory = join(settings.scratchDirectory, local(run));
    await mkdir(directory, { recursive: true });
    return directory;
  };
  const monitors = openRunMonitors(settings, scratch);
  const growing = (run: string) => ({
    cacheDirectory: settings.cacheDirectory,
    runMark: mark(run, 'lean'),
    ...objectFolders,
  });
  const sandboxFor = (policy: SandboxPolicy): Promise<Sandbox> =>
    openSandbox(policy, {
      cacheDirectory: settings.cacheDirectory,
      environment,
      install: 'auto',
      onProgress: (line) => console.warn(line),
    });
  /** What is warm here for a run would be started anew where a clean-up ended it: it is released first. */
  const release = async (localName: string, what: CleanUpScope): Promise<void> => {
    await verifiers.release((run) => local(run) === localName);
    if (what === 'all') await engines.release((run) => local(run) === localName);
  };
  const { scratchDirectory } = settings;
  const objectFolders = {
    indexFolder: join(settings.cacheDirectory, 'constants'),
    disagreementsFolder: join(settings.cacheDirectory, 'disagreements'),
  };
  const machine = localNodes({ scratchDirectory, taskQueue: localHostQueue(), release });

  const openProvider = providers();
  const storeOf = async (run: string): Promise<ObjectStore> =>
    withNeighbours(await openStore(`${settings.storeUri}/${run}`), settings.storeUri);
  const judges = new JudgeRewards({ cacheDirectory: settings.cacheDirectory, store: storeOf });
  const rewards = rewardSources(judges);
  const engines = openEngines({
    modelServer: settings.modelServer,
    store: storeOf,
    scratch,
    runMark: (run) => mark(run, 'model'),
    monitor: monitors.of,
    cacheDirectory: settings.cacheDirectory,
  });
  /** Theorems that a proof of the run may name as premises: those of its SFT set, else of our library. */
  const theoremNames = async (store: ObjectStore): Promise<string[]> => {
    const data = await preparedDataOf(store);
    if (data === null) return (await sources.libraryTheorems()).map((theorem) => theorem.name);
    const names: string[] = [];
    for await (const theorem of readRecords(store, data.theorems, libraryTheoremSchema)) names.push(theorem.name);
    return names;
  };

  const moduleTexts = async (): Promise<Map<string, string>> =>
    new Map((await sources.modules()).map(({ module, text }) => [module, text]));
  const contextTask = async (
    run: string,
    limits: Pick<VerificationLimits, 'sandbox' | 'memoryBytesMax'>,
    texts: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<ContextTask> => {
    const [sandbox, scratchDirectory] = [await sandboxFor(limits.sandbox), await scratch(run)];
    return {
      place: { environment, workingDirectory: scratchDirectory, runMark: mark(run, 'lean'), sandbox },
      libraryHeader: LIBRARY_HEADER,
      scratchDirectory,
      memoryBytesMax: limits.memoryBytesMax,
      indexFolder: objectFolders.indexFolder,
      source: (module) => texts.get(module) ?? null,
      signal,
    };
  };
  const verifiers = new RunVerifiers(async (run, limits, grown) => {
    const sandbox = await sandboxFor(limits.sandbox);
    const common = {
      libraryHeader: LIBRARY_HEADER,
      batchSize: limits.candidatesPerProcess,
      candidateTimeoutMs: limits.candidateTimeoutMs,
      memoryBytesMax: limits.memoryBytesMax,
      sandbox,
      ...objectFolders,
      scratchDirectory: await scratch(run),
      runMark: mark(run, 'lean'),
      premiseNames: [...(await theoremNames(await storeOf(run))), ...grown.map((theorem) => theorem.name)],
    };
    // What an unprotected Lean has said is not believed by a run that asks for protection.
    const cacheDirectory = ({ kind }: SandboxFacts): string =>
      join(settings.cacheDirectory, kind === 'none' ? 'verdicts-unprotected' : 'verdicts');
    if (settings.leanServers !== null && grown.length === 0) {
      const sandboxRequired = limits.sandbox === 'required';
      return remoteVerifier(settings.leanServers, { ...common, environment, sandboxRequired, cacheDirectory });
    }
    const grownOptions = { ...growing(run), sandbox };
    return openVerifier({
      ...common,
      environment: grown.length === 0 ? environment : await growEnvironment(environment, grown, grownOptions),
      driver: limits.driver,
      processes: limits.processes,
      host,
      cacheDirectory: cacheDirectory(sandbox.facts),
    });
  });

  return {
    sources,
    nodes: {
      provision: (run) => machine.provision(local(run)),
      cleanUp: (run, what) => machine.cleanUp(local(run), what),
      sweep: (openRuns) => machine.sweep(openRuns?.map(local) ?? null),
      runsWithFiles: async () =>
        (await machine.runsWithFiles()).flatMap((name) => ownRunName(settings.storeUri, name) ?? []),
      release: (run) => machine.release(local(run)),
    },
    provider: (run, config) => runProvider(openProvider, config, { run, storeUri: settings.storeUri }),
    store: storeOf,
    findObject: async (uri) => {
      const at = uri.lastIndexOf('/');
      return (await openStore(uri.slice(0, at))).stat(uri.slice(at + 1));
    },
    scratch,
    runMark: (run) => mark(run, 'model'),
    verifier: (run, limits, grown = []) => verifiers.get(run, limits, grown),
    async steps(run, limits, grown = []) {
      const sandbox = await sandboxFor(limits.sandbox);
      const { heartbeatsMax, memoryBytesMax } = limitClasses(limits).big;
      return openSteps({
        environment:
          grown.length === 0 ? environment : await growEnvironment(environment, grown, { ...growing(run), sandbox }),
        libraryHeader: LIBRARY_HEADER,
        workingDirectory: await scratch(run),
        runMark: mark(run, 'lean'),
        sandbox,
        heartbeatsMax,
        memoryBytesMax,
      });
    },
    contexts: async (run, statements, limits, signal) =>
      statementContexts(statements, await contextTask(run, limits, await moduleTexts(), signal)),
    async explore(
      run,
      statements,
      { seed, random, deeper, coreEquivalents, coreFunctions, processes, ...limits },
      signal,
    ) {
      const under = {
        cacheDirectory: settings.cacheDirectory,
        fingerprint: environment.fingerprint,
        seed,
        random,
        deeper,
        coreEquivalents,
        coreFunctions,
      };
      return explored(statements, under, async (open) => {
        const texts = await moduleTexts();
        const asked = {
          texts,
          seed,
          random,
          coreEquivalents,
          coreFunctions,
          limits: deeperLimits(deeper),
          threads: processes,
          signal,
        };
        return readStatements(open, await contextTask(run, limits, texts, signal), {
          read: (stated, { source: _, ...module }) => exploreInThreads(stated, { ...module, ...asked }),
          unread: unexplored,
        });
      });
    },
    testEquations: async (run, asked, { seed, ...limits }, signal) =>
      readStatements(asked, await contextTask(run, limits, await moduleTexts(), signal), {
        read: (stated, module) => testEquations(asked, stated, { ...module, seed, signal }),
        unread: untested,
      }),
    async portfolioKept(base) {
      const limits = limitClasses(base);
      const key = contentId('portfolio', `${PORTFOLIO_VERSION}`, environment.fingerprint, JSON.stringify(limits));
      const path = join(settings.cacheDirectory, 'portfolio', `${key}.jsonl`);
      const { version: leanVersion, fingerprint } = environment;
      return {
        rows: (await readRecord(path))?.rows ?? new Map(),
        add: (rows) => keepRows(path, { portfolio: PORTFOLIO_VERSION, leanVersion, fingerprint }, rows),
      };
    },
    sandbox: async (policy) => (await sandboxFor(policy)).facts,
    growable: async (run, earlier, added, limits, signal) =>
      growable(environment, earlier, added, {
        ...growing(run),
        sandbox: await sandboxFor(limits.sandbox),
        trivialProof: TRIVIAL_PROOF,
        processes: limits.processes,
        signal,
      }),
    checkFile: async (run, path, limits, signal) => {
      const options: CheckFileOptions = {
        sandbox: await sandboxFor(limits.sandbox),
        indexFolder: objectFolders.indexFolder,
        scratchDirectory: await scratch(run),
        runMark: mark(run, 'lean'),
        memoryBytesMax: limitClasses(limits).big.memoryBytesMax,
        signal,
      };
      return host.turns.run(limits.processes, () => checkFile(path, environment, options), signal);
    },
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
      await verifiers.release(() => true);
      await monitors.close();
    },
  };
}
