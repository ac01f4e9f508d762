/**
 * The remote engine: samples checkpoints on OpenAI-compatible servers that a person or a fleet has started.
 *
 * A server has the weights it was started with, but a run makes new checkpoints. So the two are matched by name: a
 * server must list the checkpoint's `model`, the hash of its weights, among its models (`--name` of `bin/stp serve`,
 * `--served-model-name` of vLLM). If it does not, opening fails with STP1304 and says what to serve. Samples of other
 * weights under a checkpoint's name would spoil every record made from them.
 *
 * A model of other people that only a server has (`bin/stp eval --model served:NAME`) is a folder with `served.json` in
 * a checkpoint's place. Its name is all that is known of its weights.
 */
import { join } from 'node:path';
import { MODEL_PLACEHOLDER } from '@stp/config';
import { architectureOf } from '../../checkpoint/architecture.ts';
import { readManifest } from '../../checkpoint/checkpoint.ts';
import { parseJson, readWhole } from '../../checkpoint/files.ts';
import { readServedModel, servedModelId } from '../../checkpoint/served-model.ts';
import type { ModelFacts } from '../../generator.ts';
import { RemoteGenerator, type RemoteGeneratorOptions } from './remote-generator.ts';
import { servedNowhere } from './server-errors.ts';

const CONFIG_BYTES_MAX = 64 * 1024;
/** vLLM's default number of requests that it decodes together on one accelerator. */
const REQUESTS_IN_FLIGHT_DEFAULT = 256;
/** A request waits in the server's queue and then decodes some thousand tokens. Longer means that the server hangs. */
const REQUEST_TIMEOUT_MS_DEFAULT = 600_000;
const FIRST_RETRY_MS_DEFAULT = 500;

export interface RemoteOptions {
  /**
   * Roots of the API, `http://host:8000/v1`, one for each server. All servers with the checkpoint share its samples.
   */
  readonly urls: readonly string[];
  /** The server's name for a checkpoint; `{model}` stands for its hash. Default: the hash. */
  readonly servedName?: string;
  /** Environment variable with the server's key. */
  readonly keyVariable?: string;
  /** Concurrent requests to each server. */
  readonly requestsInFlight?: number;
  /** Samples of one prompt in one request; more than 1 leaves their seeds to the server. Default 1. */
  readonly samplesPerRequest?: number;
  readonly requestTimeoutMs?: number;
  readonly firstRetryMs?: number;
}

/** Opens a served checkpoint folder. Throws STP1304 if no server has it, STP1303 if a server does not answer. */
export function remoteGenerator(
  options: RemoteOptions,
): (checkpointDirectory: string, signal?: AbortSignal) => Promise<RemoteGenerator> {
  const { urls, servedName = MODEL_PLACEHOLDER, keyVariable } = options;
  const server: RemoteGeneratorOptions = {
    ...(keyVariable === undefined ? {} : { keyVariable }),
    requestsInFlight: options.requestsInFlight ?? REQUESTS_IN_FLIGHT_DEFAULT,
    samplesPerRequest: options.samplesPerRequest ?? 1,
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS_DEFAULT,
    firstRetryMs: options.firstRetryMs ?? FIRST_RETRY_MS_DEFAULT,
  };
  return async (checkpointDirectory, signal) => {
    const { model, name } = await servedModel(checkpointDirectory, servedName);
    const { generator, errors } = await RemoteGenerator.open(urls, server, model, name, signal);
    if (generator !== null) return generator;
    // A server that does not answer may be the one with the model.
    throw errors.find(({ code }) => code !== 'STP1304') ?? servedNowhere(name, errors);
  };
}

/**
 * Returns the model of the folder, without reading its weights, and its name on servers. Throws STP1302 if it is
 * damaged.
 */
async function servedModel(
  checkpointDirectory: string,
  servedName: string,
): Promise<{ readonly model: ModelFacts; readonly name: string }> {
  const elsewhere = await readServedModel(checkpointDirectory);
  if (elsewhere !== null) {
    const { name, contextLength, hiddenSize, vocabularySize } = elsewhere;
    return { model: { name: servedModelId(name), contextLength, hiddenSize, vocabularySize }, name };
  }
  const model = await factsOf(checkpointDirectory);
  return { model, name: servedName.replaceAll(MODEL_PLACEHOLDER, model.name) };
}

async function factsOf(checkpointDirectory: string): Promise<ModelFacts> {
  const { model } = await readManifest(checkpointDirectory);
  const path = join(checkpointDirectory, 'config.json');
  const { contextLength, vocabularySize, hiddenSize } = parseJson(
    await readWhole(path, CONFIG_BYTES_MAX),
    path,
    (json) => architectureOf(json).shape,
  );
  return { name: model, contextLength, vocabularySize, hiddenSize };
}
