/**
 * The state of a training on disk, so that a killed training can resume: one file, written under a temporary name and
 * renamed. It has a line of JSON (the training's hash, its step, a checksum) and the vectors as float32. A file that is
 * damaged or of another training is ignored: the training then starts from its beginning and gives the same weights.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { StpError } from '@stp/base';
import { z } from 'zod';
import type { TrainingProgress, TrainingState } from './training-state.ts';

const STATE_FILE = 'training-state.bin';
const PARTIAL_PREFIX = `${STATE_FILE}.partial-`;
/** Length of the first line, padded with blanks, so that the vectors have a fixed offset. */
const HEADER_BYTES = 1024;
const LINE_FEED = '\n';

const headerSchema = z.strictObject({
  format: z.literal(1),
  /** `requestHash` of the training. */
  request: z.string().length(64),
  /** Length of the vector of weights. */
  size: z.int().positive(),
  crc32: z.int().nonnegative(),
  progress: z.strictObject({
    step: z.int().positive(),
    cursor: z.strictObject({ epoch: z.int().nonnegative(), offset: z.int().nonnegative() }),
    tokens: z.int().nonnegative(),
    seconds: z.number().nonnegative(),
    finalLossSum: z.number(),
    finalWeight: z.number().nonnegative(),
  }),
});

export class StateFile {
  readonly #directory: string;
  readonly #request: string;
  /** The saved files, relative to the folder. */
  readonly files: readonly string[] = [STATE_FILE];

  private constructor(directory: string, request: string) {
    this.#directory = directory;
    this.#request = request;
  }

  /** Makes the folder and removes unfinished files of a killed writer. Throws STP1401 if it cannot. */
  static async open(directory: string, request: string): Promise<StateFile> {
    try {
      await mkdir(directory, { recursive: true });
      for (const name of await readdir(directory))
        if (name.startsWith(PARTIAL_PREFIX)) await rm(join(directory, name), { force: true });
    } catch (cause) {
      throw unusable(directory, cause);
    }
    return new StateFile(directory, request);
  }

  /** Fills `state` from the saved state of this request. Returns null and leaves `state` unchanged if there is none. */
  async load(state: TrainingState): Promise<TrainingProgress | null> {
    let file: FileHandle;
    try {
      file = await open(join(this.#directory, STATE_FILE));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw unusable(this.#directory, cause);
    }
    try {
      const line = Buffer.alloc(HEADER_BYTES);
      await file.read(line, 0, HEADER_BYTES, 0);
      const header = headerOf(line.toString('utf8'));
      const size = state.parameters.length;
      if (header === null || header.request !== this.#request || header.size !== size) return null;
      const vectors = vectorsOf(state).map(({ length }) => new Float32Array(length));
      let offset = HEADER_BYTES;
      for (const vector of vectors) {
        const bytes = bytesOf(vector);
        for (let done = 0; done < bytes.length; ) {
          const { bytesRead } = await file.read(bytes, done, bytes.length - done, offset + done);
          if (bytesRead === 0) return null;
          done += bytesRead;
        }
        offset += bytes.length;
      }
      if (checksum(vectors) !== header.crc32) return null;
      vectorsOf(state).forEach((vector, index) => {
        vector.set(vectors[index]!);
      });
      return header.progress;
    } finally {
      await file.close();
    }
  }

  /** Replaces the saved state. Throws STP1401 (retryable) if the disk refuses it; the old state then stays. */
  async save(state: TrainingState, progress: TrainingProgress): Promise<void> {
    const vectors = vectorsOf(state);
    const header = { format: 1, request: this.#request, size: vectors[0]!.length, crc32: checksum(vectors), progress };
    const line = JSON.stringify(header).padEnd(HEADER_BYTES - 1) + LINE_FEED;
    const partial = join(this.#directory, `${PARTIAL_PREFIX}${randomBytes(6).toString('hex')}`);
    try {
      const file = await open(partial, 'wx');
      try {
        await file.writeFile(line);
        for (const vector of vectors) await file.writeFile(bytesOf(vector));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(partial, join(this.#directory, STATE_FILE));
    } catch (cause) {
      await rm(partial, { force: true });
      throw unusable(this.#directory, cause);
    }
  }
}

function headerOf(line: string): z.infer<typeof headerSchema> | null {
  try {
    return headerSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

const vectorsOf = ({ parameters, firstMoment, secondMoment, variables }: TrainingState) => [
  parameters,
  firstMoment,
  secondMoment,
  variables,
];

const bytesOf = (vector: Float32Array) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

const checksum = (vectors: readonly Float32Array[]) =>
  vectors.reduce((value, vector) => crc32(bytesOf(vector), value), 0);

function unusable(directory: string, cause: unknown): StpError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice = 'Check free space and permissions of the folder; training can also do without one.';
  return new StpError('STP1401', `training state in ${directory}: ${reason}`, advice, { cause, retryable: true });
}
