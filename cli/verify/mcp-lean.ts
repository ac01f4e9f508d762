/**
 * The Lean that a server's calls share. The first call that needs it opens it. It is opened again when the project's
 * modules have changed, so that no verdict or certificate refers to outdated modules.
 */
import { AnswerCache, openLeanPositions, portfolioEngine, Suggester, untilAborted } from '@stp/editor';
import { LIBRARY_HEADER, openVerifier, rebuiltProject, type SandboxPolicy } from '@stp/lean-verifier';
import type { LeanBench, ProjectFolder, ToolCall } from '@stp/mcp';
import type { WorkerSettings } from '../../workers/settings.ts';
import { repositorySources } from '../../workers/sources.ts';
import { openLeanSetup } from '../shared/lean-setup.ts';

const HEARTBEATS_MAX = 200_000;
const ANSWERS_KEPT = 1_024;
/** Time limits of a search's checks, ms. */
const LIMITS = { stepMs: 5_000, checkMs: 30_000, engineMs: 20_000, answerMs: 20_000 };

export interface SharedLeanOptions {
  readonly processes: number;
  readonly memoryBytesMax: number;
  readonly sandbox: SandboxPolicy;
  readonly folder: ProjectFolder;
}

interface Opened extends LeanBench {
  users: number;
  /** Work that may still write into its folder after its call was given up. */
  readonly working: Set<Promise<unknown>>;
  /** Another Lean has replaced this one, which closes after its last user. */
  isReplaced: boolean;
  close(): Promise<void>;
}

export class SharedLean {
  readonly #settings: WorkerSettings;
  readonly #options: SharedLeanOptions;
  readonly #closing = new AbortController();
  #opened: Promise<Opened> | null = null;
  readonly #all = new Set<Promise<Opened>>();

  constructor(settings: WorkerSettings, options: SharedLeanOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /**
   * Rejects if there is no Lean, and with the call's reason. After a failure to open Lean, the next call tries again.
   */
  async use<T>(call: ToolCall, work: (lean: LeanBench) => Promise<T>): Promise<T> {
    const lean = await untilAborted(this.#current(call), call.signal);
    lean.users += 1;
    const working = work(lean);
    lean.working.add(working);
    const done = (): void => void lean.working.delete(working);
    working.then(done, done);
    try {
      return await untilAborted(working, call.signal);
    } finally {
      lean.users -= 1;
      if (lean.isReplaced && lean.users === 0) await lean.close();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the server has ended'));
    await Promise.all([...this.#all].map((one) => one.then((lean) => lean.close()).catch(() => {})));
  }

  async #current(call: ToolCall): Promise<Opened> {
    const before = this.#opened;
    if (before !== null) {
      const lean = await before;
      if (this.#opened !== before) return this.#current(call);
      if ((await rebuiltProject(lean.environment)) === null) return lean;
      if (this.#opened !== before) return this.#current(call);
      lean.isReplaced = true;
      this.#opened = null;
      if (lean.users === 0) void lean.close();
    }
    call.tell('looking for Lean');
    const opening = this.#open();
    this.#opened = opening;
    this.#all.add(opening);
    opening.catch(() => {
      this.#all.delete(opening);
      if (this.#opened === opening) this.#opened = null;
    });
    return opening;
  }

  async #open(): Promise<Opened> {
    const { processes, memoryBytesMax, sandbox: policy, folder } = this.#options;
    const { signal } = this.#closing;
    const setup = await openLeanSetup('mcp', this.#settings, policy, signal);
    const { environment, sandbox, scratch, indexFolder, onDisagreement } = setup;
    const { directory: scratchDirectory, runMark } = scratch;
    const common = { environment, sandbox, runMark, memoryBytesMax };
    try {
      const verifier = await openVerifier({
        ...common,
        processes,
        indexFolder,
        scratchDirectory,
        libraryHeader: LIBRARY_HEADER,
        cacheDirectory: null,
        driver: 'server',
        onDisagreement,
      });
      const workingDirectory = scratchDirectory;
      const positions = openLeanPositions(processes, { ...common, workingDirectory, heartbeatsMax: HEARTBEATS_MAX });
      const suggester = new Suggester({
        engines: [portfolioEngine()],
        positions,
        cache: new AnswerCache(ANSWERS_KEPT, null),
        limits: LIMITS,
        header: '',
        environment: environment.fingerprint,
        modules: async () => (await repositorySources().modules()).map(({ text }) => text),
        imported: async (above) => (await folder.imported(above)).map(({ text }) => text),
      });
      let closed: Promise<void> | null = null;
      const working: Opened['working'] = new Set();
      const close = async (): Promise<void> => {
        await Promise.all([verifier.close(), suggester.close()]);
        // All work has its call's signal, and ends soon after it.
        await Promise.allSettled(working);
        await scratch.remove();
      };
      return {
        ...common,
        scratchDirectory,
        indexFolder,
        verifier,
        positions,
        suggester,
        users: 0,
        working,
        isReplaced: false,
        close: () => (closed ??= close()),
      };
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  }
}
