/**
 * Log-probabilities of a training's targets that stay constant: under its first weights, and under its reference model.
 * They are computed once. With a state folder they are saved there, so that a resumed training need not compute them
 * again. A file that is damaged or of another training is ignored.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { StpError } from '@stp/base';
import { sequenceLogprobs } from './sequence-logprobs.ts';
import type { TrainingEngine } from './training-engine.ts';
import type { TrainingSet } from './training-set.ts';

/** SHA-256 in hexadecimal, a checksum of eight digits, a line feed. */
const HEADER = /^([0-9a-f]{64}) ([0-9a-f]{8})\n$/;
const HEADER_BYTES = 74;

export class KeptLogprobs {
  readonly #values: Float32Array;
  /** Start index of each sequence, and the end of the last. */
  readonly #starts: readonly number[];

  private constructor(values: Float32Array, starts: readonly number[]) {
    this.#values = values;
    this.#starts = starts;
  }

  /**
   * @param name of the file, which distinguishes the first weights from the reference
   * @param request `requestHash` of the training
   */
  static async of(
    engine: TrainingEngine,
    parameters: Float32Array,
    set: TrainingSet,
    options: {
      readonly contextLength: number;
      readonly directory: string | null;
      readonly name: string;
      readonly request: string;
    },
  ): Promise<KeptLogprobs> {
    const starts = [0];
    for (let at = 0; at < set.sequenceCount; at += 1) starts.push(starts[at]! + set.targetLength(at));
    const path = options.directory === null ? null : join(options.directory, `logprobs-${options.name}.bin`);
    const kept = path === null ? null : await read(path, options.request, starts.at(-1)!);
    if (kept !== null) return new KeptLogprobs(kept, starts);
    const values = new Float32Array(starts.at(-1)!);
    const all = Array.from({ length: set.sequenceCount }, (_, at) => at);
    const found = await sequenceLogprobs(engine, parameters, set, all, options.contextLength);
    for (const [at, logprobs] of found.entries()) values.set(logprobs, starts[at]);
    if (path !== null) await write(path, options.request, values);
    return new KeptLogprobs(values, starts);
  }

  get(sequence: number): Float32Array {
    return this.#values.subarray(this.#starts[sequence], this.#starts[sequence + 1]);
  }
}

const bytesOf = (values: Float32Array) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);
const checksum = (bytes: Uint8Array): string => crc32(bytes).toString(16).padStart(8, '0');

async function read(path: string, request: string, length: number): Promise<Float32Array | null> {
  const bytes = await readFile(path).catch(() => null);
  const header = bytes === null ? null : HEADER.exec(bytes.toString('latin1', 0, HEADER_BYTES));
  if (bytes === null || header === null) return null;
  const content = bytes.subarray(HEADER_BYTES);
  if (header[1] !== request || header[2] !== checksum(content)) return null;
  const values = new Float32Array(length);
  if (content.length !== values.byteLength) return null;
  bytesOf(values).set(content);
  return values;
}

async function write(path: string, request: string, values: Float32Array): Promise<void> {
  const content = bytesOf(values);
  try {
    await writeFile(`${path}.partial`, Buffer.concat([Buffer.from(`${request} ${checksum(content)}\n`), content]));
    await rename(`${path}.partial`, path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = 'Check free space and permissions of the folder; training can also do without one.';
    throw new StpError('STP1401', `${path}: ${reason}`, advice, { cause, retryable: true });
  }
}
