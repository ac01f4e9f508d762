/**
 * Samples with llama.cpp: each row is a sequence in one context, all rows decode together, and a free row takes the
 * next sample. One more sequence holds the last prompt. Each of the prompt's samples starts from a copy of it, so a
 * prompt is read once. Memory is bounded by the number of sequences and the length of the context.
 */
import { StpError } from '@stp/base';
import { GrowingSample, type SampledTokens, type Step } from '../embedded/sampling/growing-sample.ts';
import { uniformAt } from '../embedded/sampling/philox.ts';
import type { PromptRules, Writer } from '../embedded/sampling/prompt-rules.ts';
import type { SampleGroup } from '../embedded/sampling/sampler.ts';
import { typedGrammarText } from '../remote/openai/grammar-text.ts';
import { chooseLogit, type Logit, type LogitSource } from './choose-logit.ts';
import type { BindingContext, BindingModel, BindingSampler, Bindings, GrammarState } from './library.ts';

/** How the model encodes and decodes text. */
export interface LlamaTokens extends SampledTokens {
  /** Number of rows of the model's table of tokens, which may be padded. */
  readonly size: number;
  /** Returns false for a padding token, and for a row that belongs to no token. */
  isChoosable(id: number): boolean;
  encodePrompt(text: string): readonly number[];
  /** Returns what samples of a prompt may contain; missing: anything. */
  rulesFor?(prompt: string, ids: readonly number[]): PromptRules;
}

const NO_RULES: PromptRules = { masked: [], newWriter: null };

export interface LlamaSamplerOptions {
  readonly bindings: Bindings;
  readonly model: BindingModel;
  /** The context, with one sequence more than rows. */
  readonly context: BindingContext;
  readonly tokens: LlamaTokens;
  readonly rows: number;
  /** Prompt and completion together, tokens. */
  readonly contextLength: number;
  /** Maximum tokens of a batch, at least one for each row. */
  readonly batchTokens: number;
}

/** A running sample in a row. Its sequence has the row's index. */
interface Row {
  readonly sample: GrowingSample;
  readonly grammar: GrammarState | null;
  /** Ids that the sample may not contain. */
  readonly masked: ReadonlySet<number>;
  /** Restricts the sample's tokens; null for free text, and for a grammar. */
  readonly writer: Writer | null;
  /** The prompt's last token, or the last chosen one, which is not in the cache yet. */
  pending: number;
  /** Number of tokens in the cache. */
  length: number;
}

interface Waiting extends SampleGroup {
  readonly ids: readonly number[];
  readonly masked: ReadonlySet<number>;
  readonly newWriter: PromptRules['newWriter'];
  /** Text of the grammar; null for free text. */
  readonly grammarText: string | null;
  /** Whether the grammar has no equation, so that nothing can be written. */
  readonly isEmpty: boolean;
  /** Number of samples given to rows so far. */
  started: number;
}

export class LlamaSampler {
  readonly #options: LlamaSamplerOptions;
  readonly #rows: (Row | null)[];
  readonly #samplers: readonly BindingSampler[];
  #waiting: Waiting[] = [];
  /** The prompt in the extra sequence, without its last token, and how much of it was read. */
  #prefix: readonly number[] = [];
  #prefixRead = 0;
  /** Sequences to clear before the next step, because none may change while a batch is decoded. */
  readonly #stale = new Set<number>();

  constructor(options: LlamaSamplerOptions) {
    this.#options = options;
    this.#rows = new Array<Row | null>(options.rows).fill(null);
    this.#samplers = this.#rows.map(() => new options.bindings.AddonSampler(options.model));
  }

  get idle(): boolean {
    return this.#waiting.length === 0 && this.#rows.every((row) => row === null);
  }

  add(group: SampleGroup): void {
    const typed = group.grammar === undefined ? null : typedGrammarText(group.grammar);
    const isEmpty = group.grammar !== undefined && typed === null;
    const grammarText = group.gbnf ?? typed;
    const { tokens } = this.#options;
    const ids = tokens.encodePrompt(group.prompt);
    const rules = tokens.rulesFor?.(group.prompt, ids) ?? NO_RULES;
    const newWriter = grammarText === null ? rules.newWriter : null;
    const masked = new Set(rules.masked);
    this.#waiting.push({ ...group, ids, masked, newWriter, grammarText, isEmpty, started: 0 });
  }

  /** Drops waiting and running samples. */
  drop(isDropped: (key: number) => boolean): void {
    this.#rows.forEach((row, index) => {
      if (row !== null && isDropped(row.sample.key)) this.#free(index);
    });
    this.#waiting = this.#waiting.flatMap((group) => {
      const samples = group.samples.slice(group.started).filter(({ key }) => !isDropped(key));
      return samples.length === 0 ? [] : [{ ...group, samples, started: 0 }];
    });
  }

  /** Starts samples in free rows or reads a part of the next prompt, and decodes one token in each row. */
  async step(): Promise<Step> {
    const step: Step = { ended: [], texts: [] };
    for (const sequence of this.#stale) this.#options.context.disposeSequence(sequence);
    this.#stale.clear();
    await this.#fillRows(step);
    // A row may be dropped while others are decoded. Its index is then free, or belongs to a new sample.
    const rows = this.#rows.flatMap((row, index) => (row === null ? [] : [{ row, index }]));
    if (rows.length === 0) return step;
    const batchIndices = await this.#decode(
      rows.map(({ row, index }) => ({ sequence: index, position: row.length, ids: [row.pending], isWanted: true })),
    );
    await Promise.all(
      rows.map(async ({ row, index }, at) => {
        row.length++;
        const goesOn = await this.#advance(row, index, batchIndices[at]!, step);
        if (!goesOn && this.#rows[index] === row) this.#free(index);
      }),
    );
    return step;
  }

  async #fillRows(step: Step): Promise<void> {
    for (let index = 0; index < this.#rows.length; index++)
      while (this.#rows[index] === null && !this.#stale.has(index) && this.#waiting.length > 0) {
        const group = this.#waiting[0]!;
        const { ids, sampling, isStreamed = false } = group;
        const tokensMax = Math.min(sampling.maxTokens, this.#options.contextLength - ids.length);
        const isPossible = ids.length > 0 && tokensMax > 0 && !group.isEmpty;
        // A step reads one part of a long prompt, so that the other rows continue.
        if (isPossible && !(await this.#readPrefix(ids.slice(0, -1)))) return;
        // The group may have been dropped meanwhile.
        if (this.#waiting[0] !== group) continue;
        const { key, seed } = group.samples[group.started++]!;
        if (group.started === group.samples.length) this.#waiting.shift();
        const sample = new GrowingSample({ key, seed, sampling, tokensMax, isStreamed }, this.#options.tokens);
        if (!isPossible) {
          sample.end('length', step);
          continue;
        }
        const row = {
          sample,
          grammar: this.#grammarOf(group),
          masked: group.masked,
          writer: group.newWriter?.() ?? null,
          pending: ids.at(-1)!,
          length: ids.length - 1,
        };
        this.#rows[index] = row;
        if (row.length > 0) await this.#options.context.copySequenceStateFromOtherSequence(index, this.#options.rows);
      }
  }

  /** Reads a batch of the prompt. Returns true once the extra sequence holds the whole prompt. */
  async #readPrefix(ids: readonly number[]): Promise<boolean> {
    const sequence = this.#options.rows;
    const isSame = ids.length === this.#prefix.length && ids.every((id, at) => id === this.#prefix[at]);
    if (!isSame) {
      this.#options.context.disposeSequence(sequence);
      this.#prefix = ids;
      this.#prefixRead = 0;
    }
    if (this.#prefixRead === ids.length) return true;
    const part = ids.slice(this.#prefixRead, this.#prefixRead + this.#options.batchTokens);
    await this.#decode([{ sequence, position: this.#prefixRead, ids: part, isWanted: false }]);
    this.#prefixRead += part.length;
    return this.#prefixRead === ids.length;
  }

  /** Decodes a batch. Returns the indices of the logits after the last token of each part that wants them. */
  async #decode(
    parts: readonly {
      readonly sequence: number;
      readonly position: number;
      readonly ids: readonly number[];
      readonly isWanted: boolean;
    }[],
  ): Promise<readonly number[]> {
    const { context } = this.#options;
    context.initBatch(parts.reduce((sum, { ids }) => sum + ids.length, 0));
    const batchIndices = parts.flatMap(({ sequence, position, ids, isWanted }) => {
      const wanted = Uint32Array.from(isWanted ? [ids.length - 1] : []);
      return [...context.addToBatch(sequence, position, Uint32Array.from(ids), wanted)];
    });
    await context.decodeBatch();
    return batchIndices;
  }

  /** Chooses the row's next token. Returns false if it ended the sample. */
  async #advance(row: Row, index: number, batchIndex: number, step: Step): Promise<boolean> {
    const { sample, grammar, writer } = row;
    const source = this.#logitsAt(batchIndex, this.#samplers[index]!, row);
    const uniform = uniformAt(sample.seed, sample.ids.length);
    const { chosen, top } = await chooseLogit(source, sample.sampling, uniform, sample.topsWanted);
    if (chosen === null) {
      sample.end('length', step);
      return false;
    }
    if (!Number.isFinite(chosen.logprob))
      throw new StpError(
        'STP1301',
        'the model gives probabilities that are not finite',
        'The weights are damaged, or overflow in half precision: fetch them again, or use the embedded engine.',
      );
    row.pending = chosen.id;
    writer?.push(chosen.id);
    if (grammar !== null && !this.#options.tokens.endIds.has(chosen.id))
      this.#options.bindings.AddonSampler.acceptGrammarEvaluationStateToken(grammar, chosen.id);
    return sample.push(chosen, top, step);
  }

  /** The binding's own choice is not used, so its temperature and seed do not matter. */
  #logitsAt(batchIndex: number, sampler: BindingSampler, { grammar, masked, writer }: Row): LogitSource {
    const { context, bindings, tokens } = this.#options;
    const written = writer === null ? null : new Set(writer.allowed());
    const isUsable = (id: number): boolean => tokens.isChoosable(id) && !masked.has(id) && (written?.has(id) ?? true);
    const fits = bindings.AddonSampler.canBeNextTokenForGrammarEvaluationState;
    const likeliest = async (count: number, state?: GrammarState): Promise<readonly Logit[]> => {
      sampler.applyConfig({ temperature: 1, topK: count, seed: 1, ...(state && { grammarEvaluationState: state }) });
      const filter = [[], false, false, false, count] as const;
      const [, , , logits = []] = await context.sampleToken(batchIndex, sampler, false, false, filter, false);
      return Array.from({ length: logits.length / 2 }, (_, at) => ({
        id: logits[2 * at]!,
        logit: logits[2 * at + 1]!,
      })).filter(({ logit }) => logit !== Number.NEGATIVE_INFINITY);
    };
    return {
      size: tokens.size,
      isRestricted: grammar !== null || masked.size > 0 || written !== null,
      isChoosable: (id) => isUsable(id) && (grammar === null || fits(grammar, id)),
      likeliest: (count) => likeliest(count),
      allowed: async () => {
        // Sampling changes the state of a grammar, so it gets a copy.
        const state = grammar === null ? undefined : new bindings.AddonGrammarEvaluationState(grammar);
        return (await likeliest(tokens.size, state)).filter(({ id }) => isUsable(id));
      },
      weight: async (temperature) => {
        const isGreedy = temperature === 1;
        sampler.applyConfig(isGreedy ? {} : { temperature, seed: 1 });
        // The greedy choice is the token with the highest logit.
        const filter = isGreedy ? ([[], false, false, true, 0] as const) : false;
        const [, , , logits, total] = await context.sampleToken(batchIndex, sampler, false, false, filter, true);
        return { highest: logits?.[1] ?? Number.NaN, total: total! };
      },
    };
  }

  #grammarOf({ grammarText }: Waiting): GrammarState | null {
    if (grammarText === null) return null;
    const { bindings, model } = this.#options;
    try {
      const grammar = new bindings.AddonGrammar(grammarText, { rootRuleName: 'root' });
      return new bindings.AddonGrammarEvaluationState(model, grammar);
    } catch (cause) {
      const advice = 'Sample this conjecturer with the embedded engine, or with a server (docs/serve.md).';
      throw new StpError('STP1002', 'llama.cpp cannot read the grammar of the equations', advice, { cause });
    }
  }

  #free(index: number): void {
    this.#rows[index] = null;
    this.#stale.add(index);
  }
}
