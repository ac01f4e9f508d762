/** Opens the engines that the options of `stp suggest serve` name. */
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { llamaCppEngine } from '@stp/config';
import { type Engine, encoderDecoderEngine, modelEngine, type PromptKind, portfolioEngine } from '@stp/editor';
import {
  EncoderDecoder,
  embeddedGenerator,
  type Generator,
  ggufToFolder,
  isEncoderDecoderFolder,
  llamaCppGenerator,
  remoteGenerator,
} from '@stp/language-model';
import { requireLlamaCpp } from '../../infra/llama-cpp/install.ts';
import { pinnedName, weightsFolder } from '../../infra/weights/weights.ts';
import { findModel, SERVED } from '../shared/model-source.ts';
import { ggufFolder, isGguf } from './gguf.ts';

const SERVER_KEY_VARIABLE = 'STP_SUGGEST_SERVER_KEY';
/** Short, because a person waits for the suggestions. */
const FIRST_RETRY_MS = 200;
const REQUESTS_IN_FLIGHT = 64;
/** The temperature of llmstep's servers. */
const TEMPERATURE = 0.5;
const TOKENS_MAX = 128;
/** ReProver's models write by beam search, so the temperature is 0. */
const BEAM_TEMPERATURE = 0;
const BYTES_MAX = 512;
/** `OWNER/NAME` or `OWNER/NAME@REVISION` on the Hugging Face hub. */
const HUB_NAME = /^[\w-][\w.-]*\/[\w-][\w.-]*(?:@[\w./-]+)?(?:#sha256=[0-9a-f]{64})?$/u;

export interface EngineOptions {
  readonly model: readonly string[];
  readonly hfModel?: string;
  /** Whether models may be downloaded from the hub. */
  readonly fetch?: boolean;
  /** Python with huggingface_hub. */
  readonly python: string;
  readonly server: readonly string[];
  readonly prompt?: PromptKind;
  /** False under `--no-portfolio`. */
  readonly portfolio: boolean;
  readonly temperatures?: readonly number[];
  readonly numSamples: number;
  readonly maxTokens?: number;
  readonly lengthPenalty: number;
  readonly engineSeconds: number;
}

/** The engines' folders, and the run mark of their processes. */
export interface EngineContext {
  readonly directory: string;
  readonly runMark: string;
  readonly cacheDirectory: string;
  readonly signal: AbortSignal;
}

/** Opens models in the given order, then servers, then the list of scripts. Throws STP1002 if there is no engine. */
export async function openEngines(options: EngineOptions, context: EngineContext): Promise<Engine[]> {
  const engines: Engine[] = [];
  try {
    const named = [...options.model, ...(options.hfModel === undefined ? [] : [options.hfModel])];
    for (const [index, name] of named.entries())
      engines.push(await openModel(name, `model-${index}`, options, context));
    for (const [index, address] of options.server.entries())
      engines.push(await openServer(address, join(context.directory, `server-${index}`), options));
    if (options.portfolio) engines.push(portfolioEngine());
    if (engines.length > 0) return engines;
    throw new StpError(
      'STP1002',
      'no engine is left that could suggest',
      'Give --model or --server, or leave out --no-portfolio.',
    );
  } catch (error) {
    await Promise.all(engines.map((one) => one.close()));
    throw error;
  }
}

async function openModel(name: string, copy: string, options: EngineOptions, context: EngineContext): Promise<Engine> {
  const { runMark } = context;
  if (isGguf(name)) {
    const library = await requireLlamaCpp(context.cacheDirectory);
    const directory = await ggufFolder(name, join(context.directory, copy));
    const cores = availableParallelism();
    const factory = llamaCppGenerator({ engine: llamaCppEngine(), library, cores, runMark, staysWarm: true });
    return generatorEngine(name, await factory(directory), 'state', options);
  }
  const directory = await folderOf(name, copy, options, context);
  if (!(await isEncoderDecoderFolder(directory)))
    return generatorEngine(
      name,
      await embeddedGenerator({ threads: 1, runMark, staysWarm: true })(directory),
      'state',
      options,
    );
  const { numSamples: samples, lengthPenalty, temperatures = [BEAM_TEMPERATURE], maxTokens = BYTES_MAX } = options;
  const model = await EncoderDecoder.open({ folder: directory, threads: availableParallelism(), runMark });
  return encoderDecoderEngine(model, { name, temperatures, samples, maxTokens, lengthPenalty });
}

/** Finds the folder of a checkpoint, a run, a foreign model, or a hub model that is cached or may be downloaded. */
async function folderOf(
  name: string,
  copy: string,
  { fetch = false, python }: EngineOptions,
  { directory, cacheDirectory, signal }: EngineContext,
): Promise<string> {
  // `runs/NAME@3` is a run's round.
  const isFolder = (await stat(name.replace(/@[^/]*$/u, '')).catch(() => null)) !== null;
  const hub = name.startsWith('hf://') ? name : !isFolder && HUB_NAME.test(name) ? `hf://${name}` : null;
  if (hub !== null) {
    const options = { cacheDirectory, python, signal, convertGguf: ggufToFolder };
    return weightsFolder(await pinnedName(hub, fetch, options), fetch, options);
  }
  return findModel(name, join(directory, copy)).then(
    (found) => found.directory,
    (error: unknown) => {
      // The engine reports what is wrong with a folder without a model.
      if (name.includes('/')) return name;
      throw error;
    },
  );
}

async function openServer(address: string, directory: string, options: EngineOptions): Promise<Engine> {
  const [url, served] = splitServer(address);
  const open = remoteGenerator({
    urls: [url],
    keyVariable: SERVER_KEY_VARIABLE,
    requestsInFlight: REQUESTS_IN_FLIGHT,
    requestTimeoutMs: 1_000 * options.engineSeconds,
    firstRetryMs: FIRST_RETRY_MS,
  });
  const { directory: folder } = await findModel(SERVED + served, directory);
  return generatorEngine(served, await open(folder), 'llmstep', options);
}

function generatorEngine(
  name: string,
  generator: Generator,
  otherwise: PromptKind,
  { temperatures = [TEMPERATURE], numSamples: samples, maxTokens = TOKENS_MAX, prompt = otherwise }: EngineOptions,
): Engine {
  return modelEngine(generator, { name, prompt, temperatures, samples, maxTokens });
}

/** Splits `URL#NAME` into the API's root and the server's name for the model. */
function splitServer(address: string): [url: string, name: string] {
  const at = address.lastIndexOf('#');
  if (at > 0 && /^https?:\/\//u.test(address)) return [address.slice(0, at), address.slice(at + 1)];
  throw new StpError('STP1002', `--server ${address} names no model`, 'Write it as http://host:8000/v1#NAME.');
}
