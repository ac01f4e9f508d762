/** The Lean that the calls of a server for agents share. */
import { join } from 'node:path';
import { AnswerCache, openLeanPlaces, portfolioEngine, Suggester } from '@stp/editor';
import { LIBRARY_HEADER, openVerifier, type SandboxPolicy } from '@stp/lean-verifier';
import type { LeanBench, ProjectFolder, ToolCall } from '@stp/mcp';
import type { WorkerSettings } from '../workers/settings.ts';
import { repositorySources } from '../workers/sources.ts';
import { openLeanPlace } from './lean-place.ts';
import { Reopened } from './reopened.ts';

const HEARTBEATS_MAX = 200_000;
const ANSWERS_KEPT = 1_024;
/** Limits of a search's single checks, ms. */
const LIMITS = { stepMs: 5_000, checkMs: 30_000, engineMs: 20_000, answerMs: 20_000 };

export interface SharedLeanOptions {
  readonly processes: number;
  readonly memoryBytesMax: number;
  readonly sandbox: SandboxPolicy;
  readonly folder: ProjectFolder;
}

interface Opened extends LeanBench {
  /** Work that may still write into its folder after its call was given up. */
  readonly working: Set<Promise<unknown>>;
  close(): Promise<void>;
}

export class SharedLean {
  readonly #settings: WorkerSettings;
  readonly #options: SharedLeanOptions;
  readonly #closing = new AbortController();
  readonly #reopened: Reopened<Opened>;

  constructor(settings: WorkerSettings, options: SharedLeanOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#reopened = new Reopened((tell) => {
      tell('looking for Lean');
      return this.#open();
    });
  }

  /** Rejects where there is no Lean, and with the call's reason. A Lean that could not be opened is looked for again. */
  use<T>(call: ToolCall, work: (lean: LeanBench) => Promise<T>): Promise<T> {
    const started = (lean: Opened): Promise<T> => {
      const working = work(lean);
      lean.working.add(working);
      const done = (): void => void lean.working.delete(working);
      working.then(done, done);
      return working;
    };
    return this.#reopened.use(call.signal, started, (line) => call.tell(line));
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the server has ended'));
    await this.#reopened.close();
  }

  async #open(): Promise<Opened> {
    const { processes, memoryBytesMax, sandbox: policy, folder } = this.#options;
    const { signal } = this.#closing;
    const place = await openLeanPlace('mcp', this.#settings, policy, signal);
    const { environment, sandbox, scratch, indexFolder } = place;
    const { directory: scratchDirectory, runMark } = scratch;
    const common = { environment, sandbox, runMark, memoryBytesMax };
    try {
      const verifier = await openVerifier({
        ...common,
        ...{ processes, indexFolder, scratchDirectory, libraryHeader: LIBRARY_HEADER, cacheDirectory: null },
        driver: 'server',
        disagreementsFolder: join(this.#settings.cacheDirectory, 'disagreements'),
      });
      const workingDirectory = scratchDirectory;
      const places = openLeanPlaces(processes, { ...common, workingDirectory, heartbeatsMax: HEARTBEATS_MAX });
      const suggester = new Suggester({
        engines: [portfolioEngine()],
        places,
        cache: new AnswerCache(ANSWERS_KEPT, null),
        limits: LIMITS,
        header: '',
        environment: environment.fingerprint,
        modules: async () => (await repositorySources().modules()).map(({ text }) => text),
        imported: async (above) => (await folder.imported(above)).map(({ text }) => text),
      });
      const working: Opened['working'] = new Set();
      const close = async (): Promise<void> => {
        await Promise.all([verifier.close(), suggester.close()]);
        // All of it has the signal of its call, and ends soon after it.
        await Promise.allSettled(working);
        await scratch.remove();
      };
      return {
        ...{ ...common, scratchDirectory, indexFolder, verifier, places, suggester },
        working,
        close,
      };
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  }
}
