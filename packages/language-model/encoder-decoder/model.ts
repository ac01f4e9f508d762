/**
 * The graphs of an exported encoder-decoder on ONNX Runtime: texts to hidden states, and answers that grow by one token
 * at a time over a key-value cache. The keys and values of cross-attention are kept once for all rows if the graph
 * allows it, which is tested when the model is opened.
 */
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { damaged } from '../damaged.ts';
import { openSession } from '../embedded/sampling/session.ts';
import type { GrowingRows } from './beam-search.ts';
import { BYTE_END_ID, byteIds } from './byte-tokenizer.ts';
import type { EncoderDecoderFolder } from './folder.ts';

type Feeds = Record<string, Tensor>;

const PAST = /^past_key_values\.\d+\.(decoder|encoder)\.(?:key|value)$/u;
/** Maximum difference between log-probabilities that are computed in two ways. */
const ROUNDING = 1e-3;

export class EncoderDecoderModel {
  readonly folder: EncoderDecoderFolder;
  readonly #encoder: InferenceSession;
  /** The graph without a cache. */
  readonly #first: InferenceSession;
  /** The graph with a cache; null if the folder has none. */
  readonly #cached: InferenceSession | null;
  /** Whether one copy of the text's keys and values serves all rows. */
  #sharesText = true;

  private constructor(
    folder: EncoderDecoderFolder,
    encoder: InferenceSession,
    first: InferenceSession,
    cached: InferenceSession | null,
  ) {
    this.folder = folder;
    this.#encoder = encoder;
    this.#first = first;
    this.#cached = cached;
  }

  /** Throws STP1301 for a graph that cannot be opened, STP1302 for one of another form. */
  static async open(folder: EncoderDecoderFolder, threads: number): Promise<EncoderDecoderModel> {
    const { decoder } = folder;
    const encoder = await openSession(folder.encoder, 'the encoder', threads);
    const first = await openSession(decoder.decoder, 'the decoder', threads);
    const cached =
      decoder.kind === 'merged'
        ? first
        : decoder.kind === 'split'
          ? await openSession(decoder.withPast, 'the decoder with cache', threads)
          : null;
    requireNames(folder.encoder, encoder, ['input_ids', 'attention_mask'], ['last_hidden_state']);
    requireNames(decoder.decoder, first, ['input_ids', 'encoder_hidden_states', 'encoder_attention_mask'], ['logits']);
    if (cached !== null) requireCache(decoder.kind === 'split' ? decoder.withPast : decoder.decoder, cached);
    const model = new EncoderDecoderModel(folder, encoder, first, cached);
    if (cached !== null) model.#sharesText = await model.#canShare();
    return model;
  }

  /** Returns the hidden states of a text and its end, cut to `bytesMax` bytes: `[1, length, hiddenSize]`. */
  async encode(text: string, bytesMax: number): Promise<Tensor> {
    const ids = [...byteIds(text, bytesMax - 1), BYTE_END_ID];
    const feeds = { input_ids: integers([ids]), attention_mask: ones(1, ids.length) };
    return (await this.#encoder.run(feeds)).last_hidden_state as Tensor;
  }

  /** Begins one row with the given tokens `prompt`. */
  async begin(hidden: Tensor, prompt: readonly number[]): Promise<GrowingRows> {
    const ids = [this.folder.startId, ...prompt];
    return this.#cached === null ? this.#beginPlain(hidden, ids) : this.#beginCached(this.#cached, hidden, ids);
  }

  async #beginPlain(hidden: Tensor, prompt: readonly number[]): Promise<GrowingRows> {
    const mask = ones(1, hidden.dims[1]!);
    const nextOf = async (ids: readonly number[]): Promise<Float32Array> => {
      const feeds = { input_ids: integers([ids]), encoder_hidden_states: hidden, encoder_attention_mask: mask };
      return logRows((await this.#first.run(feeds)).logits as Tensor)[0]!;
    };
    let sequences: (readonly number[])[] = [prompt];
    let next = [await nextOf(prompt)];
    return {
      get next() {
        return next;
      },
      async extend(parents, tokens) {
        sequences = parents.map((parent, row) => [...sequences[parent]!, tokens[row]!]);
        next = [];
        for (const one of sequences) next.push(await nextOf(one));
      },
    };
  }

  async #beginCached(cached: InferenceSession, hidden: Tensor, prompt: readonly number[]): Promise<GrowingRows> {
    const length = hidden.dims[1]!;
    const feeds: Feeds = {
      input_ids: integers([prompt]),
      encoder_hidden_states: hidden,
      encoder_attention_mask: ones(1, length),
    };
    const { heads, headSize } = this.folder;
    const isMerged = this.#first.inputNames.includes('use_cache_branch');
    if (isMerged) {
      feeds.use_cache_branch = new Tensor('bool', [false], [1]);
      // The graph requires these inputs but does not read them.
      for (const name of cached.inputNames.filter((one) => PAST.test(one)))
        feeds[name] = new Tensor('float32', new Float32Array(heads * headSize), [1, heads, 1, headSize]);
    }
    const outputs = await this.#first.run(feeds);
    const text: Feeds = {};
    let own: Feeds = {};
    for (const name of cached.inputNames) {
      const part = PAST.exec(name)?.[1];
      if (part === undefined) continue;
      (part === 'encoder' ? text : own)[name] = presentOf(outputs, name);
    }
    let next = logRows(outputs.logits as Tensor);
    const repeated = (tensor: Tensor, rows: number): Tensor => (this.#sharesText ? tensor : tiled(tensor, rows));
    return {
      get next() {
        return next;
      },
      async extend(parents, tokens) {
        const rows = parents.length;
        const step: Feeds = {
          input_ids: integers(tokens.map((token) => [token])),
          encoder_attention_mask: repeated(ones(1, length), rows),
        };
        if (cached.inputNames.includes('encoder_hidden_states')) step.encoder_hidden_states = repeated(hidden, rows);
        if (isMerged) step.use_cache_branch = new Tensor('bool', [true], [1]);
        for (const [name, tensor] of Object.entries(text)) step[name] = repeated(tensor, rows);
        for (const [name, tensor] of Object.entries(own)) step[name] = gathered(tensor, parents);
        const grown = await cached.run(step);
        own = Object.fromEntries(Object.keys(own).map((name) => [name, presentOf(grown, name)]));
        next = logRows(grown.logits as Tensor);
      },
    };
  }

  /**
   * Returns whether a step of two rows gives equal results with one and with two copies of the text's keys and
   * values.
   */
  async #canShare(): Promise<boolean> {
    const hidden = await this.encode('⊢ p ∧ q', 64);
    const step = async (): Promise<readonly Float32Array[]> => {
      const rows = await this.begin(hidden, byteIds('c'));
      await rows.extend([0, 0], byteIds('oa'));
      return rows.next;
    };
    const once = await step().catch(() => null);
    this.#sharesText = false;
    const twice = await step();
    return (
      once !== null &&
      twice.every((row, index) => row.every((value, id) => Math.abs(value - once[index]![id]!) < ROUNDING))
    );
  }
}

function requireNames(
  file: string,
  session: InferenceSession,
  inputs: readonly string[],
  outputs: readonly string[],
): void {
  const missing = [
    ...inputs.filter((name) => !session.inputNames.includes(name)),
    ...outputs.filter((name) => !session.outputNames.includes(name)),
  ];
  if (missing.length > 0) throw damaged(file, `the graph has no ${missing.join(', ')}`);
}

function requireCache(file: string, session: InferenceSession): void {
  const past = session.inputMetadata.filter(({ name }) => PAST.test(name));
  const other = past.find((one) => !one.isTensor || one.type !== 'float32');
  if (past.length === 0) throw damaged(file, 'the graph takes no past_key_values');
  if (other !== undefined) throw damaged(file, `${other.name} is not float32: export it without --dtype`);
  requireNames(file, session, ['input_ids', 'encoder_attention_mask'], ['logits']);
}

function presentOf(outputs: InferenceSession.OnnxValueMapType, past: string): Tensor {
  return outputs[past.replace('past_key_values', 'present')] as Tensor;
}

const integers = (rows: readonly (readonly number[])[]): Tensor =>
  new Tensor('int64', BigInt64Array.from(rows.flat(), BigInt), [rows.length, rows[0]!.length]);

const ones = (rows: number, length: number): Tensor =>
  new Tensor('int64', new BigInt64Array(rows * length).fill(1n), [rows, length]);

/** Returns the log-probabilities after the last position of each row; logits are `[rows, length, vocabulary]`. */
function logRows(logits: Tensor): Float32Array[] {
  const [rows, length, vocabulary] = logits.dims as [number, number, number];
  const values = logits.data as Float32Array;
  return Array.from({ length: rows }, (_, row) => {
    const from = (row * length + length - 1) * vocabulary;
    const last = values.subarray(from, from + vocabulary);
    const highest = last.reduce((high, value) => Math.max(high, value), Number.NEGATIVE_INFINITY);
    const total = last.reduce((sum, value) => sum + Math.exp(value - highest), 0);
    return last.map((value) => value - highest - Math.log(total));
  });
}

/** Selects rows of a tensor; returns the tensor itself if they are all its rows in order. */
function gathered(tensor: Tensor, rows: readonly number[]): Tensor {
  const [count, ...rest] = tensor.dims as [number, ...number[]];
  if (rows.length === count && rows.every((row, index) => row === index)) return tensor;
  const values = tensor.data as Float32Array;
  const width = values.length / count;
  const taken = new Float32Array(rows.length * width);
  for (const [index, row] of rows.entries()) taken.set(values.subarray(row * width, (row + 1) * width), index * width);
  return new Tensor('float32', taken, [rows.length, ...rest]);
}

/** Repeats the single row of a tensor `rows` times. */
function tiled(tensor: Tensor, rows: number): Tensor {
  if (tensor.type === 'int64') return ones(rows, tensor.dims[1]!);
  return gathered(tensor, new Array<number>(rows).fill(0));
}
