/**
 * The `Generator` port over a model server of this node. The server is started for the requested checkpoint and task,
 * and replaces the previous server, because an accelerator holds one model. A server that dies is restarted, and
 * finished samples are not sampled again.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StpError } from '@stp/base';
import { z } from 'zod';
import { readManifest } from '../../checkpoint/checkpoint.ts';
import { parseJson, readWhole } from '../../checkpoint/files.ts';
import { ADAPTER_CONFIG_FILE, ADAPTER_FILE } from '../../checkpoint/manifest.ts';
import type { Generator, SamplingOptions } from '../../generator.ts';
import { remoteGenerator } from '../openai/engine.ts';
import type { RemoteGenerator } from '../openai/remote-generator.ts';
import { readServerMetrics, type ServerMetrics } from '../vllm/server-metrics.ts';
import type { ServerProgram, ServerTask } from './program.ts';
import { LocalServer } from './server.ts';

/** Maximum restarts in one call. Further restarts would not help. */
const RESTARTS_MAX = 3;
/** A request may fail shortly before the end of its server's process is noticed. */
const EXIT_NOTICE_MS = 2_000;
const EXIT_POLL_MS = 50;
const METRICS_EVERY_MS = 30_000;
const ADAPTER_CONFIG_BYTES_MAX = 1 << 20;
const adapterConfigSchema = z.looseObject({
  r: z
    .int()
    .positive()
    .max(1 << 16),
});

export interface LocalGeneratorsOptions {
  readonly program: ServerProgram;
  /** Folder of the servers' logs. */
  readonly logDirectory: string;
  readonly runMark?: string | undefined;
  /** Finds the folder of the whole model that the run's adapters belong to, or null. */
  readonly findBase?: (signal: AbortSignal | undefined) => Promise<string | null>;
  /** Called regularly with the running server's metrics. */
  readonly onMetrics?: (metrics: Partial<ServerMetrics>) => void;
  /** Default: half a minute. */
  readonly metricsEveryMs?: number;
}

/** The checkpoint and task that a server is started for. */
interface Use {
  readonly directory: string;
  readonly task: ServerTask;
  readonly sampling?: SamplingOptions;
}

/** Generators over one server. Calls run one after another, because each fills the server. */
export class LocalGenerators {
  readonly #options: LocalGeneratorsOptions;
  #open: { readonly server: LocalServer; readonly client: RemoteGenerator; readonly use: string } | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #looking: NodeJS.Timeout | null;

  constructor(options: LocalGeneratorsOptions) {
    this.#options = options;
    const { onMetrics, metricsEveryMs = METRICS_EVERY_MS } = options;
    this.#looking =
      onMetrics === undefined ? null : setInterval(() => void this.#tell(onMetrics), metricsEveryMs).unref();
  }

  /** The running server, or null. */
  get server(): LocalServer | null {
    return this.#open?.server ?? null;
  }

  generator(directory: string): Pick<Generator, 'sample' | 'embed'> {
    return {
      sample: (requests, sampling, options = {}) =>
        this.#inTurn(() =>
          this.#served({ directory, task: 'complete', sampling }, options.signal, (client) =>
            client.sample(requests, sampling, options),
          ),
        ),
      embed: (texts, options = {}) =>
        this.#inTurn(() =>
          this.#served({ directory, task: 'embed' }, options.signal, (client) => client.embed(texts, options)),
        ),
    };
  }

  /** Ends the server, which frees its memory. */
  close(): Promise<void> {
    if (this.#looking !== null) clearInterval(this.#looking);
    return this.#inTurn(() => this.#end());
  }

  async #tell(onMetrics: (metrics: Partial<ServerMetrics>) => void): Promise<void> {
    const metrics = this.server === null ? null : await readServerMetrics(this.server.origin);
    if (metrics !== null) onMetrics(metrics);
  }

  async #served<Result>(
    use: Use,
    signal: AbortSignal | undefined,
    work: (client: RemoteGenerator) => Promise<Result>,
  ): Promise<Result> {
    for (let restarts = 0; ; restarts += 1) {
      signal?.throwIfAborted();
      const client = await this.#client(use, signal);
      try {
        return await work(client);
      } catch (error) {
        signal?.throwIfAborted();
        const failure = await this.#failure(signal);
        // A running server refuses for a reason that a restart does not remove.
        if (failure === null) throw error;
        // The client is kept, because it holds the finished samples.
        await this.#open?.server.end();
        if (restarts === RESTARTS_MAX) throw failure;
      }
    }
  }

  /** Returns why the server no longer serves, or null if it does. */
  async #failure(signal: AbortSignal | undefined): Promise<StpError | null> {
    for (let waitedMs = 0; waitedMs < EXIT_NOTICE_MS; waitedMs += EXIT_POLL_MS) {
      const failure = this.#open?.server.failure ?? null;
      if (failure !== null) return failure;
      await sleep(EXIT_POLL_MS);
    }
    // One of its threads may have died; the health check notices it.
    return (await this.server?.isWell(signal)) === false ? this.server!.unwell : null;
  }

  async #client({ directory, task, sampling }: Use, signal: AbortSignal | undefined): Promise<RemoteGenerator> {
    const { program, logDirectory, runMark } = this.#options;
    if (task === 'embed' && !program.embeds) throw withoutVectors(program);
    const fixed = program.fixesSampling && sampling !== undefined ? [sampling.temperature, sampling.topP] : [];
    const use = JSON.stringify([directory, task, ...fixed]);
    const open = this.#open;
    const isSame = open?.use === use;
    if (open !== null && isSame && (await open.server.isWell(signal))) return open.client;
    const { model, files } = await readManifest(directory);
    const isAdapter = files.some(({ name }) => name === ADAPTER_FILE);
    if (isAdapter && !program.servesAdapters) throw withoutAdapters(program);
    const adapterOf = isAdapter ? await this.#below(directory, signal) : undefined;
    if (open !== null && isSame) await open.server.end();
    else await this.#end();
    const logPath = join(logDirectory, `${program.kind}-${task}-${model}.log`);
    const checkpoint = { directory, model, adapterOf };
    const server = await LocalServer.start(checkpoint, task, { program, logPath, runMark, signal });
    if (open !== null && isSame) {
      this.#open = { server, client: open.client, use };
      return open.client;
    }
    try {
      const { servedName, engine } = program;
      const options = { urls: [`${server.origin}/v1`], servedName, requestsInFlight: engine.requestsInFlight };
      const client = await remoteGenerator(options)(directory, signal);
      this.#open = { server, client, use };
      return client;
    } catch (error) {
      await server.end();
      throw error;
    }
  }

  /** Finds the whole model below an adapter. */
  async #below(directory: string, signal: AbortSignal | undefined): Promise<{ base: string; rank: number }> {
    const base = await this.#options.findBase?.(signal);
    if (base === undefined || base === null) {
      const advice = 'Set engines.trainer.base as it was when the adapter was trained.';
      throw new StpError('STP1002', `${directory} holds an adapter, and no model is named that it belongs to`, advice);
    }
    const path = join(directory, ADAPTER_CONFIG_FILE);
    const { r: rank } = parseJson(await readWhole(path, ADAPTER_CONFIG_BYTES_MAX), path, (json) =>
      adapterConfigSchema.parse(json),
    );
    return { base, rank };
  }

  async #end(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.client.close();
    await open?.server.end();
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

const withoutVectors = ({ name }: ServerProgram): StpError =>
  new StpError(
    'STP1002',
    `${name} has no vectors of texts, and the run asks for them`,
    'Take engines.generator.kind=embedded or vllm, or conjectures.source=explore or none.',
  );

const withoutAdapters = ({ name }: ServerProgram): StpError =>
  new StpError(
    'STP1002',
    `${name} serves whole models, and the checkpoint is an adapter alone`,
    'Set engines.trainer.lora.output=merged, or take engines.generator.kind=vllm.',
  );
