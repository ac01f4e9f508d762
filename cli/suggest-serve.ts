/** `stp suggest serve`: checked suggestions over HTTP, until SIGTERM or Ctrl-C (docs/suggest.md). */
import { AnswerCache, type Engine, openLeanPlaces, Suggester, type Suggestions, startSuggestServer } from '@stp/editor';
import type { SandboxPolicy } from '@stp/lean-verifier';
import { openCommandScratch } from '../infra/nodes/command-scratch.ts';
import { type WorkerSettings, workerSettings } from '../workers/settings.ts';
import { repositorySources } from '../workers/sources.ts';
import { describePlace, openLeanPlace } from './lean-place.ts';
import { sayRemoved } from './leavings.ts';
import { type OverLean, Reopened } from './reopened.ts';
import { clientKeys, sayError, sayKeys } from './serving.ts';
import { aborted, codeOfStoppable, Stopped, stopSignal } from './stop-signals.ts';
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
  const scratch = await openCommandScratch(settings.scratchDirectory, 'suggest');
  try {
    return await codeOfStoppable(async () => {
      const engines = await openEngines(options, { ...scratch, cacheDirectory: settings.cacheDirectory, signal: stop });
      const cache = new AnswerCache(options.cacheEntries, options.cache ?? null);
      const reopened = new Reopened(() => openSuggester(engines, cache, settings, options, stop));
      try {
        const description = await reopened.use(stop, async ({ described }) => described);
        await serveUntil(stop, { engines, ...suggestionsOf(reopened) }, description, keys, options);
        return 0;
      } finally {
        await reopened.close();
        await Promise.all(engines.map((engine) => engine.close()));
      }
    });
  } finally {
    await scratch.remove();
  }

  async function serveUntil(
    signal: AbortSignal,
    suggester: Suggestions,
    description: string,
    allowed: readonly string[],
    { host, port, copilotPort, key, name, search, maxRequests, timeout }: SuggestServeOptions,
  ): Promise<void> {
    const common = {
      suggester,
      host,
      keys: allowed,
      anyHost: !key,
      modelNames: name,
      searchSeconds: search,
      requestsInFlight: maxRequests,
      requestTimeoutMs: 1_000 * (timeout + search),
      onError: sayError,
    };
    const first = await startSuggestServer({ ...common, port });
    const servers = [first];
    try {
      if (copilotPort !== false) servers.push(await startSuggestServer({ ...common, port: copilotPort }));
      console.log(`serving suggestions on ${servers.map(({ url }) => url).join(' and ')}`);
      console.log(`engines: ${suggester.engines.map((one) => one.name).join(', ')}; checked by ${description}`);
      sayKeys(SUGGEST_KEYS_VARIABLE, allowed);
      await aborted(signal);
      console.log('finishing what is under way');
    } finally {
      await Promise.all(servers.map((one) => one.close()));
    }
  }
}

interface OpenedSuggester extends OverLean {
  readonly suggester: Suggester;
  /** The Lean and its sandbox, in words. */
  readonly described: string;
}

function suggestionsOf(reopened: Reopened<OpenedSuggester>): Pick<Suggestions, 'suggest'> {
  return {
    suggest: (request, signal, onEvent) =>
      reopened.use(signal, ({ suggester }) => suggester.suggest(request, signal, onEvent)),
  };
}

async function openSuggester(
  engines: readonly Engine[],
  cache: AnswerCache,
  settings: WorkerSettings,
  options: SuggestServeOptions,
  stop: AbortSignal,
): Promise<OpenedSuggester> {
  const place = await openLeanPlace('suggest', settings, options.sandbox, stop);
  const { environment, sandbox, scratch } = place;
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
    cache,
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
  const close = async (): Promise<void> => {
    await suggester.close();
    await scratch.remove();
  };
  return { environment, suggester, described: describePlace(place), close };
}

function inputEnd(): AbortSignal {
  const ended = new AbortController();
  for (const event of ['end', 'close', 'error'] as const)
    process.stdin.once(event, () => ended.abort(new Stopped('SIGHUP')));
  process.stdin.resume();
  return ended.signal;
}
