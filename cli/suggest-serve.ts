/** `stp suggest serve`: checked suggestions over HTTP, until SIGTERM or Ctrl-C (docs/suggest.md). */
import { AnswerCache, openLeanPlaces, Suggester, startSuggestServer } from '@stp/editor';
import type { SandboxPolicy } from '@stp/lean-verifier';
import { workerSettings } from '../workers/settings.ts';
import { repositorySources } from '../workers/sources.ts';
import { describePlace, openLeanPlace } from './lean-place.ts';
import { sayRemoved } from './leavings.ts';
import { clientKeys, sayError, serveUntilStopped } from './serving.ts';
import { codeOfStoppable, Stopped, stopSignal } from './stop-signals.ts';
import { type EngineOptions, openEngines } from './suggest-engines.ts';

/** Comma-separated keys of clients. */
export const SUGGEST_KEYS_VARIABLE = 'STP_SUGGEST_KEYS';
const MEBIBYTE = 1_048_576;

export interface SuggestServeOptions extends EngineOptions {
  readonly host: string;
  readonly port: number;
  /** Null under `--no-copilot`. */
  readonly copilotPort: number | false;
  /** False under `--no-key`: serve everyone. */
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
  /** Stop when standard input ends: the process that started it is gone. */
  readonly withParent?: boolean;
}

/** The exit code: 0 if it stopped on request; 128 plus a signal's number if it was not serving yet. */
export async function serveSuggestions(options: SuggestServeOptions): Promise<number> {
  const keys = clientKeys(SUGGEST_KEYS_VARIABLE, options);
  const stop = options.withParent ? AbortSignal.any([stopSignal(), inputEnd()]) : stopSignal();
  const settings = workerSettings();
  await sayRemoved(settings.scratchDirectory);
  const place = await openLeanPlace('suggest', settings, options.sandbox, stop);
  try {
    return await codeOfStoppable(async () => {
      const { environment, sandbox, scratch } = place;
      const engines = await openEngines(options, { ...scratch, cacheDirectory: settings.cacheDirectory, signal: stop });
      const suggester = new Suggester({
        engines,
        places: openLeanPlaces(options.processes, {
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
        const common = {
          suggester,
          host: options.host,
          keys,
          anyHost: !options.key,
          modelNames: options.name,
          searchSeconds: options.search,
          requestsInFlight: options.maxRequests,
          requestTimeoutMs: 1_000 * (options.timeout + options.search),
          onError: sayError,
        };
        const servers = [await startSuggestServer({ ...common, port: options.port })];
        try {
          if (options.copilotPort !== false)
            servers.push(await startSuggestServer({ ...common, port: options.copilotPort }));
          const lines = [
            `serving suggestions on ${servers.map(({ url }) => url).join(' and ')}`,
            `engines: ${engines.map((one) => one.name).join(', ')}; checked by ${describePlace(place)}`,
          ];
          await serveUntilStopped(servers, { lines, keyVariable: SUGGEST_KEYS_VARIABLE, keys, stop });
        } catch (error) {
          await Promise.all(servers.map((one) => one.close()));
          throw error;
        }
        return 0;
      } finally {
        await suggester.close();
      }
    });
  } finally {
    await place.scratch.remove();
  }
}

function inputEnd(): AbortSignal {
  const ended = new AbortController();
  for (const event of ['end', 'close', 'error'] as const)
    process.stdin.once(event, () => ended.abort(new Stopped('SIGHUP')));
  process.stdin.resume();
  return ended.signal;
}
