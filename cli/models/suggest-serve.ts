/** `stp suggest serve`: serves checked suggestions over HTTP until SIGTERM or Ctrl-C (docs/suggest.md). */
import { AnswerCache, openLeanPositions, Suggester, startSuggestServer } from '@stp/editor';
import type { SandboxPolicy } from '@stp/lean-verifier';
import { type WorkerSettings, workerSettings } from '../../workers/settings.ts';
import { repositorySources } from '../../workers/sources.ts';
import { describeSetup, type LeanSetup, openLeanSetup } from '../shared/lean-setup.ts';
import { sayRemoved } from '../shared/leavings.ts';
import { clientKeys, sayError, serveUntil, serveUntilStopped } from '../shared/serving.ts';
import { codeOfStoppable, Stopped, stopSignal } from '../shared/stop-signals.ts';
import { type EngineOptions, openEngines } from './suggest-engines.ts';

/** Comma-separated keys of clients. */
export const SUGGEST_KEYS_VARIABLE = 'STP_SUGGEST_KEYS';
const MEBIBYTE = 1_048_576;

export interface SuggestServeOptions extends EngineOptions {
  readonly host: string;
  readonly port: number;
  /** False under `--no-copilot`. */
  readonly copilotPort: number | false;
  /** False under `--no-key`: serve clients without keys. */
  readonly key: boolean;
  readonly header: string;
  readonly name: readonly string[];
  readonly search: number;
  readonly checkSeconds: number;
  readonly answerSeconds: number;
  readonly heartbeats: number;
  readonly timeout: number;
  readonly processes: number;
  readonly memoryMb: number;
  readonly sandbox: SandboxPolicy;
  readonly cache?: string;
  readonly cacheEntries: number;
  readonly maxRequests: number;
  /** Stop when standard input ends, because the starting process is then gone. */
  readonly withParent?: boolean;
}

/** Returns the exit code: 0 if it stopped on request; 128 plus the signal's number if it was not serving yet. */
export async function serveSuggestions(options: SuggestServeOptions): Promise<number> {
  const keys = clientKeys(SUGGEST_KEYS_VARIABLE, options);
  const stop = options.withParent ? AbortSignal.any([stopSignal(), inputEnd()]) : stopSignal();
  const settings = workerSettings();
  await sayRemoved(settings.scratchDirectory);
  return codeOfStoppable(async () => {
    await serveUntil(stop, () => serveOnce(stop, settings, keys, options));
    return 0;
  });
}

/** Serves until the signal, or until the underlying Lean project is rebuilt. */
async function serveOnce(
  stop: AbortSignal,
  settings: WorkerSettings,
  keys: readonly string[],
  options: SuggestServeOptions,
): Promise<void> {
  const setup = await openLeanSetup('suggest', settings, options.sandbox, stop);
  const { environment, sandbox, scratch } = setup;
  try {
    const engines = await openEngines(options, { ...scratch, cacheDirectory: settings.cacheDirectory, signal: stop });
    const suggester = new Suggester({
      engines,
      positions: openLeanPositions(options.processes, {
        environment,
        sandbox,
        workingDirectory: scratch.directory,
        runMark: scratch.runMark,
        memoryBytesMax: options.memoryMb * MEBIBYTE,
        heartbeatsMax: options.heartbeats,
      }),
      cache: new AnswerCache(options.cacheEntries, options.cache ?? null),
      limits: {
        stepMs: 1_000 * options.checkSeconds,
        checkMs: 2_000 * options.checkSeconds,
        engineMs: 1_000 * options.engineSeconds,
        answerMs: 1_000 * options.answerSeconds,
      },
      header: options.header,
      environment: environment.fingerprint,
      modules: async () => (await repositorySources().modules()).map(({ text }) => text),
    });
    try {
      stop.throwIfAborted();
      await serveOver(stop, suggester, setup, keys, options);
    } finally {
      await suggester.close();
    }
  } finally {
    await scratch.remove();
  }
}

async function serveOver(
  stop: AbortSignal,
  suggester: Suggester,
  setup: LeanSetup,
  keys: readonly string[],
  { host, port, copilotPort, key, name, search, maxRequests, timeout }: SuggestServeOptions,
): Promise<void> {
  const stale = new AbortController();
  const common = {
    suggester,
    host,
    keys,
    anyHost: !key,
    modelNames: name,
    searchSeconds: search,
    requestsInFlight: maxRequests,
    requestTimeoutMs: 1_000 * (timeout + search),
    environment: setup.environment,
    onStale: () => stale.abort(),
    onError: sayError,
  };
  const servers = [await startSuggestServer({ ...common, port })];
  try {
    if (copilotPort !== false) servers.push(await startSuggestServer({ ...common, port: copilotPort }));
    const lines = [
      `serving suggestions on ${servers.map(({ url }) => url).join(' and ')}`,
      `engines: ${suggester.engines.map((one) => one.name).join(', ')}; checked by ${describeSetup(setup)}`,
    ];
    await serveUntilStopped(servers, { lines, keyVariable: SUGGEST_KEYS_VARIABLE, keys, stop, stale: stale.signal });
  } catch (error) {
    await Promise.all(servers.map((one) => one.close()));
    throw error;
  }
}

function inputEnd(): AbortSignal {
  const ended = new AbortController();
  for (const event of ['end', 'close', 'error'] as const)
    process.stdin.once(event, () => ended.abort(new Stopped('SIGHUP')));
  process.stdin.resume();
  return ended.signal;
}
