/** `stp suggest serve`: checked suggestions over HTTP, until SIGTERM or Ctrl-C (docs/suggest.md). */
import { join } from 'node:path';
import { StpError } from '../data/errors.ts';
import { printableText } from '../data/printable.ts';
import type { SandboxPolicy } from '../lean/runtime/sandbox/open-sandbox.ts';
import { embeddedGenerator } from '../model/embedded/engine.ts';
import type { Generator } from '../model/generator.ts';
import { remoteGenerator } from '../model/remote/openai/engine.ts';
import { AnswerCache } from '../suggest/cache.ts';
import type { Engine } from '../suggest/engines/engine.ts';
import { modelEngine } from '../suggest/engines/model-engine.ts';
import { portfolioEngine } from '../suggest/engines/portfolio-engine.ts';
import type { PromptKind } from '../suggest/engines/prompts.ts';
import { startSuggestServer } from '../suggest/http/server.ts';
import { openLeanPlaces } from '../suggest/lean-places.ts';
import { Suggester } from '../suggest/suggester.ts';
import { workerSettings } from '../workers/settings.ts';
import { repositorySources } from '../workers/sources.ts';
import { describePlace, openLeanPlace } from './lean-place.ts';
import { sayRemoved } from './leavings.ts';
import { findModel, SERVED } from './model-source.ts';
import { clientKeys } from './serving.ts';
import { Stopped, stopSignal } from './stop-signals.ts';

/** Comma-separated keys of clients. */
export const SUGGEST_KEYS_VARIABLE = 'STP_SUGGEST_KEYS';
const SERVER_KEY_VARIABLE = 'STP_SUGGEST_SERVER_KEY';
const MEBIBYTE = 1_048_576;
/** A person waits: a model server that is full is not asked for minutes. */
const FIRST_RETRY_MS = 200;
const REQUESTS_IN_FLIGHT = 64;

export interface SuggestServeOptions {
  readonly host: string;
  readonly port: number;
  /** Null under `--no-copilot`. */
  readonly copilotPort: number | false;
  /** False under `--no-key`: serve everyone. */
  readonly key: boolean;
  readonly model: readonly string[];
  readonly hfModel?: string;
  readonly server: readonly string[];
  readonly prompt?: PromptKind;
  /** False under `--no-portfolio`. */
  readonly portfolio: boolean;
  readonly temperatures: readonly number[];
  readonly numSamples: number;
  readonly maxTokens: number;
  readonly header: string;
  readonly name: readonly string[];
  readonly search: number;
  readonly checkSeconds: number;
  readonly engineSeconds: number;
  readonly heartbeats: number;
  readonly timeout: number;
  readonly processes: number;
  readonly memoryMb: number;
  readonly sandbox: SandboxPolicy;
  readonly cache?: string;
  readonly cacheEntries: number;
  readonly maxRequests: number;
  /** Stop when standard input ends: whoever started it is gone. */
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
    const engines = await openEngines(options, place.scratch.directory, place.scratch.runMark);
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
      cache: new AnswerCache(options.cacheEntries, options.cache ?? null),
      limits: {
        stepMs: 1_000 * options.checkSeconds,
        checkMs: 2_000 * options.checkSeconds,
        engineMs: 1_000 * options.engineSeconds,
      },
      header: options.header,
      environment: environment.fingerprint,
      modules: async () => (await repositorySources().modules()).map(({ text }) => text),
    });
    try {
      stop.throwIfAborted();
      await serveUntil(stop, suggester, keys, options);
      return 0;
    } finally {
      await suggester.close();
    }
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    console.error(error.message);
    return error.exitCode;
  } finally {
    await place.scratch.remove();
  }

  async function serveUntil(
    signal: AbortSignal,
    suggester: Suggester,
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
      onError: (error: unknown) => console.error(error instanceof StpError ? printableText(error.toText()) : error),
    };
    const first = await startSuggestServer({ ...common, port });
    const servers = [first];
    try {
      if (copilotPort !== false) servers.push(await startSuggestServer({ ...common, port: copilotPort }));
      console.log(`serving suggestions on ${servers.map(({ url }) => url).join(' and ')}`);
      console.log(
        `engines: ${suggester.engines.map((one) => one.name).join(', ')}; checked by ${describePlace(place)}`,
      );
      console.log(allowed.length === 0 ? 'no key is asked for' : `a key of ${SUGGEST_KEYS_VARIABLE} is asked for`);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
      console.log('finishing what is under way');
    } finally {
      await Promise.all(servers.map((one) => one.close()));
    }
  }
}

function inputEnd(): AbortSignal {
  const ended = new AbortController();
  for (const event of ['end', 'close', 'error'] as const)
    process.stdin.once(event, () => ended.abort(new Stopped('SIGHUP')));
  process.stdin.resume();
  return ended.signal;
}

/** Models in the order given, then servers, then the list of scripts. STP1002 where there is none. */
async function openEngines(options: SuggestServeOptions, scratch: string, runMark: string): Promise<Engine[]> {
  const { temperatures, numSamples: samples, maxTokens, prompt } = options;
  const engines: Engine[] = [];
  const add = (name: string, generator: Generator, otherwise: PromptKind, stops: boolean): void => {
    const common = { temperatures, samples, maxTokens, stops };
    engines.push(modelEngine(generator, { ...common, name, prompt: prompt ?? otherwise }));
  };
  try {
    const named = [...options.model, ...(options.hfModel === undefined ? [] : [options.hfModel])];
    for (const [index, name] of named.entries()) {
      const { directory } = await findModel(name, join(scratch, `model-${index}`)).catch((error: unknown) => {
        // A Llama of other people has no manifest; the engine says what is wrong with a folder that is none.
        if (name.includes('/')) return { directory: name };
        throw error;
      });
      add(name, await embeddedGenerator({ threads: 1, runMark })(directory), 'state', false);
    }
    for (const [index, address] of options.server.entries()) {
      const [url, served] = splitServer(address);
      const { directory } = await findModel(SERVED + served, join(scratch, `server-${index}`));
      const open = remoteGenerator({
        urls: [url],
        keyVariable: SERVER_KEY_VARIABLE,
        requestsInFlight: REQUESTS_IN_FLIGHT,
        requestTimeoutMs: 1_000 * options.engineSeconds,
        firstRetryMs: FIRST_RETRY_MS,
      });
      add(served, await open(directory), 'llmstep', true);
    }
    if (options.portfolio) engines.push(portfolioEngine());
    if (engines.length > 0) return engines;
    throw new StpError(
      'STP1002',
      'nothing is left that could suggest',
      'Give --model or --server, or leave out --no-portfolio.',
    );
  } catch (error) {
    await Promise.all(engines.map((one) => one.close()));
    throw error;
  }
}

/** `URL#NAME`: the root of the API, and what the server calls its model. */
function splitServer(address: string): [url: string, name: string] {
  const at = address.lastIndexOf('#');
  if (at > 0 && /^https?:\/\//u.test(address)) return [address.slice(0, at), address.slice(at + 1)];
  throw new StpError('STP1002', `--server ${address} names no model`, 'Write it as http://host:8000/v1#NAME.');
}
