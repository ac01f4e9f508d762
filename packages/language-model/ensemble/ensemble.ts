/**
 * An ensemble in a separate process: returns a reward from each member for each target. Calls run one after another.
 */
import { Semaphore, type StpError } from '@stp/base';
import type { Sequence } from '../embedded/objectives/objective.ts';
import { EngineProcess } from '../embedded/process/engine-process.ts';
import type { ScoreMessage, ScoreRequest } from './child.ts';
import { type EnsembleManifest, readEnsemble } from './folder.ts';

/** Maximum targets in one message. It bounds the work that is lost with the process. */
const TARGETS_AT_ONCE = 512;

export interface EnsembleOptions {
  readonly threads: number;
  readonly runMark?: string;
}

export class Ensemble {
  readonly manifest: EnsembleManifest;
  readonly #directory: string;
  readonly #options: EnsembleOptions;
  readonly #turns = new Semaphore();
  readonly #waiting = new Map<number, { resolve(message: ScoreMessage): void; reject(error: unknown): void }>();
  #process: EngineProcess<ScoreRequest, ScoreMessage> | null = null;
  #nextId = 0;

  private constructor(directory: string, manifest: EnsembleManifest, options: EnsembleOptions) {
    this.#directory = directory;
    this.manifest = manifest;
    this.#options = options;
  }

  /** Throws STP1302 if the folder contains no ensemble. */
  static async open(directory: string, options: EnsembleOptions): Promise<Ensemble> {
    return new Ensemble(directory, await readEnsemble(directory), options);
  }

  /** Returns the members' rewards for each target; null if prompt and target exceed the context. */
  async rewards(targets: readonly Sequence[], signal?: AbortSignal): Promise<(readonly number[] | null)[]> {
    const found: (readonly number[] | null)[] = [];
    for (let first = 0; first < targets.length; first += TARGETS_AT_ONCE) {
      const part = targets.slice(first, first + TARGETS_AT_ONCE);
      const { rewards } = await this.#turns.run(1, () => this.#ask(part), signal);
      found.push(...rewards);
    }
    return found;
  }

  async close(): Promise<void> {
    await this.#process?.end();
    this.#process = null;
  }

  async #ask(targets: readonly Sequence[]): Promise<ScoreMessage> {
    this.#process ??= this.#start();
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<ScoreMessage>();
    this.#waiting.set(id, { resolve, reject });
    this.#process.setBusy(true);
    this.#process.send({ id, directory: this.#directory, threads: this.#options.threads, targets });
    try {
      return await promise;
    } finally {
      this.#waiting.delete(id);
      this.#process?.setBusy(false);
    }
  }

  #start(): EngineProcess<ScoreRequest, ScoreMessage> {
    return new EngineProcess({
      entry: new URL('./child.ts', import.meta.url),
      runMark: this.#options.runMark,
      onMessage: (message) => this.#waiting.get(message.id)?.resolve(message),
      onFailure: (error: StpError) => {
        this.#process = null;
        for (const { reject } of this.#waiting.values()) reject(error);
      },
    });
  }
}
