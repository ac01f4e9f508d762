/**
 * A model server kept up on a node for as long as the activity runs: health watched, started anew when it dies, its metrics
 * logged. Who samples from it is somebody else's matter (STP_GENERATOR_URL of this node's worker).
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StpError } from '../data/errors.ts';
import type { CheckpointRef } from '../data/schemas/artifact.ts';
import { generatorEngineSchema, type VllmEngine } from '../data/schemas/engines.ts';
import { VllmServer } from '../model/vllm/server.ts';
import { readServerMetrics, type ServerMetrics } from '../model/vllm/server-metrics.ts';
import { fetchCheckpoint } from './checkpoints.ts';
import { withHeartbeat } from './edge.ts';
import { logMetrics, metricsAt } from './metrics.ts';
import type { Ports } from './ports.ts';

/** How often it is looked at, and its metrics taken. */
const LOOK_EVERY_MS = 5_000;
const METRICS_EVERY_LOOKS = 6;
/** A server under load may miss a look; one that misses so many in a row hangs. */
const LOOKS_MISSED_MAX = 6;
/** More deaths without an hour of life between them are not mended by starting it anew. */
const RESTARTS_MAX = 5;
const LIFE_THAT_COUNTS_MS = 3_600_000;

export interface ServeModelInput {
  readonly run: string;
  readonly checkpoint: CheckpointRef;
  readonly engine: VllmEngine;
}

/** What its heartbeats say. */
export interface ServingProgress {
  readonly origin: string;
  readonly model: string;
  readonly restarts: number;
  readonly metrics: Partial<ServerMetrics> | null;
}

export function modelServerActivities(ports: Pick<Ports, 'store' | 'scratch' | 'monitor' | 'runMark'>) {
  return {
    /** Serves the checkpoint until it is cancelled. Throws STP1301 where the server dies again and again. */
    async serveModel(input: ServeModelInput): Promise<never> {
      const engine = generatorEngineSchema.parse(input.engine);
      if (engine.kind !== 'vllm')
        throw new StpError('STP1002', `the ${engine.kind} engine is no server`, 'Set engines.generator.kind to vllm.');
      return withHeartbeat(async (signal, report) => {
        const { run, checkpoint } = input;
        const scratch = await ports.scratch(run);
        const directory = await fetchCheckpoint(await ports.store(run), checkpoint, scratch, signal);
        const served = { directory, model: checkpoint.model };
        const logPath = join(scratch, 'servers', `vllm-${checkpoint.model}.log`);
        const options = { engine, logPath, runMark: ports.runMark(run), signal };
        // Metrics count on over restarts.
        let step = 0;
        for (let restarts = 0; ; restarts += 1) {
          const server = await VllmServer.start(served, 'complete', options);
          const startedAt = performance.now();
          let failure: StpError;
          try {
            failure = await watch(server, signal, async (metrics) => {
              report({ origin: server.origin, model: checkpoint.model, restarts, metrics } satisfies ServingProgress);
              if (metrics === null) return;
              await logMetrics(ports, run, metricsAt('model-server', step, inWords(metrics)));
              step += 1;
            });
          } finally {
            await server.end();
          }
          if (performance.now() - startedAt > LIFE_THAT_COUNTS_MS) restarts = 0;
          if (restarts >= RESTARTS_MAX) throw failure;
        }
      });
    },
  };
}

/** Names as the monitor takes them: `requests_running`. */
const inWords = (metrics: Partial<ServerMetrics>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

/** Resolves with the reason once the server is dead or hangs; rejects with the signal's. */
async function watch(
  server: VllmServer,
  signal: AbortSignal,
  onMetrics: (metrics: Partial<ServerMetrics> | null) => Promise<void>,
): Promise<StpError> {
  for (let look = 0, missed = 0; ; look += 1) {
    signal.throwIfAborted();
    if (server.failure !== null) return server.failure;
    missed = (await server.isWell(signal)) ? 0 : missed + 1;
    if (server.failure !== null) return server.failure;
    if (missed > LOOKS_MISSED_MAX)
      return new StpError(
        'STP1301',
        `the vLLM server at ${server.origin} does not answer`,
        'It is started anew; if this repeats, look into its log.',
        { retryable: true, facts: { log: server.logPath } },
      );
    if (look % METRICS_EVERY_LOOKS === 0) await onMetrics(await readServerMetrics(server.origin, signal));
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}
