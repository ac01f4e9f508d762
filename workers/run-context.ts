/**
 * This machine's resources for a run: its store, scratch folder, marks, caches and sandboxes. The ports are made from
 * them.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerOfThisProcess, type RunPart, writeRunMark } from '@stp/base/files';
import type { ObjectStore } from '@stp/config/records';
import {
  growEnvironment,
  type LeanEnvironment,
  openSandbox,
  type Sandbox,
  type SandboxPolicy,
} from '@stp/lean-verifier';
import type { Ports } from '../activities/ports.ts';
import { withNeighbours } from '../infra/stores/neighbours.ts';
import { openStore } from '../infra/stores/open-store.ts';
import { disagreementsIn } from './disagreements.ts';
import { localRunName, type WorkerSettings } from './settings.ts';

export type Grown = NonNullable<Parameters<Ports['verifier']>[2]>;

export type RunContext = Awaited<ReturnType<typeof openRunContext>>;

export async function openRunContext(settings: WorkerSettings, environment: LeanEnvironment) {
  const { storeUri, cacheDirectory, scratchDirectory } = settings;
  const owner = await ownerOfThisProcess();
  /** Returns the run's name, unique among all stores. */
  const local = (run: string): string => localRunName(storeUri, run);
  const mark = (run: string, part: RunPart): string => writeRunMark(local(run), owner, part);
  /** Options of the object judge. */
  const objectJudge = {
    indexFolder: join(cacheDirectory, 'constants'),
    onDisagreement: disagreementsIn(cacheDirectory),
  };
  const growing = (run: string) => ({ cacheDirectory, runMark: mark(run, 'lean'), ...objectJudge });
  return {
    settings,
    environment,
    objectJudge,
    local,
    mark,
    growing,
    async scratch(run: string): Promise<string> {
      const directory = join(scratchDirectory, local(run));
      await mkdir(directory, { recursive: true });
      return directory;
    },
    store: async (run: string): Promise<ObjectStore> => withNeighbours(await openStore(`${storeUri}/${run}`), storeUri),
    sandboxFor: (policy: SandboxPolicy): Promise<Sandbox> =>
      openSandbox(policy, { cacheDirectory, environment, install: 'auto', onProgress: (line) => console.warn(line) }),
    /** Returns Lean with the theorems that the run has grown. */
    grownEnvironment: async (run: string, grown: Grown, sandbox: Sandbox): Promise<LeanEnvironment> =>
      grown.length === 0 ? environment : growEnvironment(environment, grown, { ...growing(run), sandbox }),
  };
}
