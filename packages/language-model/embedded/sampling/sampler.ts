/**
 * Samples completions from a checkpoint with continuous batching: rows decode together, a free row takes the next
 * sample, equal prompts are read once. A sample's result depends only on (checkpoint, prompt, options, seed): its noise
 * is counted from its seed, and a row's arithmetic does not depend on its index or on other rows.
 */

import { StpError } from '@stp/base';
import type { TypedGrammar } from '@stp/config/records';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { SamplingOptions } from '../../generator.ts';
import type { ProofWords } from '../../tokenizer/proof-words.ts';
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';
import { TokenChooser } from './choose-token.ts';
import { decodeGraph } from './decode-graph.ts';
import type { Weights } from './fused-decoder.ts';
import { GrowingSample, type Step } from './growing-sample.ts';
import { KeyValueCache } from './key-value-cache.ts';
import { uniformAt } from './philox.ts';
import { ModelRules, type Writer } from './prompt-rules.ts';
import { type Prefix, Reader } from './reader.ts';
import { openSession } from './session.ts';
import { TypedTokens, TypedWriter } from './typed-writer.ts';

/** Number of cached prompts, for the next group with the same prompt: the current one and the next one. */
const PREFIXES_KEPT = 2;

export interface SampledModel extends Weights {
  readonly tokenizer: Tokenizer;
  /** Words that its proofs may contain; null: any text. */
  readonly proofWords: ProofWords | null;
}

/** Samples of one prompt. */
export interface SampleGroup {
  readonly prompt: string;
  readonly sampling: SamplingOptions;
  readonly samples: readonly { readonly key: number; readonly seed: number }[];
  /** Whether the text is requested as it is decoded. */
  readonly isStreamed?: boolean;
  /** Grammar that the samples follow. */
  readonly grammar?: TypedGrammar | undefined;
  /** As `SampleRequest.gbnf`. */
  readonly gbnf?: string | undefined;
}

/** A sample in progress in a row. */
interface Row {
  /** The sample. Its last token is not in the cache yet. */
  readonly sample: GrowingSample;
  /** Slots that the prompt does not contain. */
  readonly masked: readonly number[];
  /** Restricts the sample's tokens; null for free text. */
  readonly writer: Writer | null;
  /** Number of tokens in the cache. */
  length: number;
}

interface Waiting extends SampleGroup {
  readonly ids: readonly number[];
  readonly masked: readonly number[];
  /** Null for free text. */
  readonly newWriter: (() => Writer) | null;
  /** Number of samples given to rows so far. */
  started: number;
  prefix: Prefix | null;
}

export class Sampler {
  /** Reads texts with the same model, for other users. */
  readonly reader: Reader;
  readonly #tokenizer: Tokenizer;
  readonly #contextLength: number;
  readonly #vocabularySize: number;
  readonly #session: InferenceSession;
  readonly #cache: KeyValueCache;
  readonly #chooser: TokenChooser;
  readonly #rules: ModelRules;
  readonly #rowsMax: number;
  readonly #maskedRow: Float32Array;
  /** The rows in use; contiguous between steps. */
  readonly #rows: (Row | null)[] = [];
  readonly #prefixes = new Map<string, Prefix>();
  #waiting: Waiting[] = [];

  private constructor(model: SampledModel, session: InferenceSession, reader: Reader, rowsMax: number) {
    const { shape, tokenizer, proofWords } = model;
    this.#tokenizer = tokenizer;
    this.#contextLength = shape.contextLength;
    this.#vocabularySize = shape.vocabularySize;
    this.#session = session;
    this.reader = reader;
    this.#rowsMax = rowsMax;
    this.#maskedRow = new Float32Array(shape.vocabularySize);
    this.#cache = new KeyValueCache(model);
    const { size, padId, endIds } = tokenizer;
    this.#chooser = new TokenChooser({ size, neverId: endIds.has(padId) ? null : padId });
    this.#rules = new ModelRules(tokenizer, proofWords);
  }

  /** `rowsMax`: maximum number of samples decoded together. */
  static async open(model: SampledModel, rowsMax: number): Promise<Sampler> {
    const session = await openSession(decodeGraph(model), 'decode');
    return new Sampler(model, session, await Reader.open(model, model.tokenizer.padId), rowsMax);
  }

  /** Adds samples to the queue. */
  add(group: SampleGroup): void {
    const ids = this.#tokenizer.encodePrompt(group.prompt);
    const { masked, newWriter } = this.#rules.rulesFor(group.prompt, ids);
    const { grammar } = group;
    const typed = grammar === undefined ? null : new TypedTokens(grammar, this.#tokenizer);
    const writes = typed === null ? newWriter : () => new TypedWriter(typed);
    this.#waiting.push({ ...group, ids, masked, newWriter: writes, started: 0, prefix: null });
  }

  /** Drops waiting and running samples. */
  drop(isDropped: (key: number) => boolean): void {
    this.#rows.forEach((row, index) => {
      if (row !== null && isDropped(row.sample.key)) this.#rows[index] = null;
    });
    this.#waiting = this.#waiting.flatMap((group) => {
      const samples = group.samples.slice(group.started).filter(({ key }) => !isDropped(key));
      return samples.length === 0 ? [] : [{ ...group, samples, started: 0 }];
    });
  }

  get idle(): boolean {
    return this.#waiting.length === 0 && this.#rows.every((row) => row === null);
  }

  /** Starts samples in free rows, and decodes one token in each row. */
  async step(): Promise<Step> {
    const step: Step = { ended: [], texts: [] };
    await this.#fillRows(step);
    this.#closeHoles();
    const rows = this.#rows as readonly (Row | null)[];
    if (rows.length === 0) return step;
    const count = rows.length;
    const lengths = Int32Array.from(rows, (row) => row?.length ?? 0);
    const tokens = BigInt64Array.from(rows, (row) => BigInt(row?.sample.ids.at(-1) ?? this.#tokenizer.padId));
    const results = await this.#session.run({
      tokens: new Tensor('int64', tokens, [count]),
      positions: new Tensor('int64', BigInt64Array.from(lengths, BigInt), [count, 1]),
      ...this.#cache.inputs(lengths),
    });
    const logProbabilities = results.logProbabilities!.data as Float32Array;
    this.#cache.append(results.fresh!.data as Float32Array, lengths);
    const size = this.#vocabularySize;
    rows.forEach((row, index) => {
      if (row === null) return;
      row.length++;
      const goesOn = this.#advance(row, logProbabilities.subarray(index * size, (index + 1) * size), step);
      if (!goesOn) this.#rows[index] = null;
    });
    return step;
  }

  async close(): Promise<void> {
    await this.#session.release();
    await this.reader.close();
  }

  /** Gives free rows, first those of ended samples, to waiting samples. */
  async #fillRows(step: Step): Promise<void> {
    for (let index = 0; index < this.#rowsMax && this.#waiting.length > 0; index++) {
      while ((this.#rows[index] ?? null) === null && this.#waiting.length > 0) {
        await this.#start(index, this.#waiting[0]!, step);
      }
    }
  }

  /** Moves the last rows into gaps, so that a step computes only as many rows as there are running samples. */
  #closeHoles(): void {
    for (let index = 0; index < this.#rows.length; index++) {
      while (this.#rows.at(-1) === null) this.#rows.pop();
      if (index >= this.#rows.length || this.#rows[index] !== null) continue;
      this.#cache.move(this.#rows.length - 1, index);
      this.#rows[index] = this.#rows.pop()!;
    }
  }

  /** Starts the group's next sample. Its first token needs only the prompt. */
  async #start(index: number, group: Waiting, step: Step): Promise<void> {
    const { key, seed } = group.samples[group.started++]!;
    if (group.started === group.samples.length) this.#waiting.shift();
    const tokensMax = Math.min(group.sampling.maxTokens, this.#contextLength - group.ids.length);
    const { sampling, isStreamed = false } = group;
    const row: Row = {
      sample: new GrowingSample({ key, seed, sampling, tokensMax, isStreamed }, this.#tokenizer),
      masked: group.masked,
      writer: group.newWriter?.() ?? null,
      length: group.ids.length,
    };
    if (group.ids.length === 0 || tokensMax <= 0 || row.writer?.allowed().length === 0) {
      // A prompt may fill the context, and a grammar may have no equation: the result is an empty sample, not a
      // failed batch.
      row.sample.end('length', step);
      return;
    }
    group.prefix ??= await this.#prefixOf(group);
    if (!this.#advance(row, group.prefix.logProbabilities, step)) return;
    this.#cache.setPrefix(index, group.prefix);
    this.#rows[index] = row;
  }

  /** Several groups in a row may have the same prompt; it is read for the first of them. */
  async #prefixOf({ prompt, ids }: Waiting): Promise<Prefix> {
    const known = this.#prefixes.get(prompt);
    if (known !== undefined) return known;
    const prefix = await this.reader.prefill(ids);
    for (const oldest of this.#prefixes.keys()) if (this.#prefixes.size >= PREFIXES_KEPT) this.#prefixes.delete(oldest);
    this.#prefixes.set(prompt, prefix);
    return prefix;
  }

  /** Chooses the row's next token. Returns false if it ended the sample. */
  #advance(row: Row, given: Float32Array, step: Step): boolean {
    const logProbabilities = this.#masked(row, given);
    const { sample, writer } = row;
    const chosen = this.#chooser.choose(logProbabilities, sample.sampling, uniformAt(sample.seed, sample.ids.length));
    if (!Number.isFinite(chosen.logprob)) {
      const advice = 'The weights overflow: train from an earlier checkpoint, or with a lower learning rate.';
      throw new StpError('STP1301', 'the model gives probabilities that are not finite', advice);
    }
    writer?.push(chosen.id);
    const { topsWanted } = sample;
    return sample.push(chosen, topsWanted > 0 ? this.#chooser.likeliest(logProbabilities, topsWanted) : [], step);
  }

  /**
   * Gives probability 0 to tokens that the row may not write. Returns another buffer, because the given one may serve
   * other samples of the prompt.
   */
  #masked({ masked, writer }: Row, logProbabilities: Float32Array): Float32Array {
    const allowed = writer?.allowed();
    if (allowed === undefined) {
      this.#maskedRow.set(logProbabilities);
      for (const id of masked) this.#maskedRow[id] = Number.NEGATIVE_INFINITY;
    } else {
      this.#maskedRow.fill(Number.NEGATIVE_INFINITY);
      for (const id of allowed) this.#maskedRow[id] = logProbabilities[id]!;
    }
    return this.#maskedRow;
  }
}
