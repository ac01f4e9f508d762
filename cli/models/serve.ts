/** `stp serve --model DIR`: serves a checkpoint over OpenAI-compatible HTTP until SIGTERM or Ctrl-C. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { StpError } from '@stp/base';
import { type LlamaCppEngine, llamaCppEngine } from '@stp/config';
import { embeddedGenerator, openLlamaCpp } from '@stp/language-model';
import { DEFAULT_LIMITS, ServedModel, startModelServer } from '@stp/language-model/serve';
import { requireLlamaCpp } from '../../infra/llama-cpp/install.ts';
import { isNamed } from '../../infra/weights/weights.ts';
import { workerSettings } from '../../workers/settings.ts';
import { findModel } from '../shared/model-source.ts';
import { clientKeys, sayError, serveUntilStopped } from '../shared/serving.ts';
import { stopSignal } from '../shared/stop-signals.ts';
import { ggufFolder, isGguf } from './gguf.ts';

/** Comma-separated keys of clients. */
const KEYS_VARIABLE = 'STP_SERVE_KEYS';

export interface ServeOptions {
  readonly model: string;
  readonly name?: string;
  readonly host: string;
  readonly port: number;
  readonly threads: number;
  readonly contextLength?: number;
  readonly sequences?: number;
  readonly gpuLayers?: LlamaCppEngine['gpuLayers'];
  readonly lora?: LlamaCppEngine['adapters'];
  readonly maxRequests: number;
  /** Seconds. */
  readonly timeout: number;
  /** False under `--no-key`: serve clients without keys. */
  readonly key: boolean;
}

/** Weights by name are in a cache folder whose name says nothing, so the model is served under the weights' name. */
const nameOf = (model: string): string | undefined => (isNamed(model) ? model.replace(/#.*$/, '') : undefined);

export async function serve(options: ServeOptions): Promise<void> {
  const { host, port } = options;
  const keys = clientKeys(KEYS_VARIABLE, options);
  const stop = stopSignal();
  const model = await (isGguf(options.model) ? openGguf(options) : openFolder(options));
  const { generator } = model;
  try {
    const server = await startModelServer({
      model,
      host,
      port,
      keys,
      limits: {
        ...DEFAULT_LIMITS,
        requestsInFlight: options.maxRequests,
        requestTimeoutMs: 1_000 * options.timeout,
      },
      onError: sayError,
    });
    const lines = [`serving ${model.names.join(', ')} on ${server.url}/v1`];
    await serveUntilStopped([server], { lines, keyVariable: KEYS_VARIABLE, keys, stop });
  } finally {
    await generator.close();
  }
}

async function openFolder({ model, name, threads, ...options }: ServeOptions): Promise<ServedModel> {
  const [given] = Object.entries({
    '--context-length': options.contextLength,
    '--sequences': options.sequences,
    '--gpu-layers': options.gpuLayers,
    '--lora': options.lora,
  }).filter(([, value]) => value !== undefined);
  if (given !== undefined)
    throw new StpError('STP1002', `${given[0]} is for models that llama.cpp samples`, 'Give --model FILE.gguf.');
  const { directory } = await findModel(model, tmpdir());
  const generator = await embeddedGenerator({ threads })(directory);
  try {
    return await ServedModel.open(generator, directory, name ?? nameOf(model));
  } catch (error) {
    await generator.close();
    throw error;
  }
}

/** Opens a GGUF with llama.cpp, in one process with all threads. */
async function openGguf({ model, name, threads, ...options }: ServeOptions): Promise<ServedModel> {
  const { contextLength, sequences, gpuLayers, lora: adapters } = options;
  const engine = llamaCppEngine({
    threads,
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(sequences === undefined ? {} : { sequences }),
    ...(gpuLayers === undefined ? {} : { gpuLayers }),
    ...(adapters === undefined ? {} : { adapters }),
  });
  const library = await requireLlamaCpp(workerSettings().cacheDirectory);
  const downloads = await mkdtemp(join(tmpdir(), 'stp-serve-'));
  try {
    const directory = await ggufFolder(model, downloads);
    const { generator, tokens, template } = await openLlamaCpp(directory, {
      engine,
      library,
      cores: threads,
      staysWarm: true,
    });
    return ServedModel.of(
      generator,
      { tokens, template, readsGrammars: true },
      name ?? basename(model).replace(/\.gguf$/i, ''),
    );
  } finally {
    await rm(downloads, { recursive: true, force: true });
  }
}
