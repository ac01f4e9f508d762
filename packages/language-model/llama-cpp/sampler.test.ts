/**
 * The sampler over a stand-in for llama.cpp's binding, which keeps the tokens of each sequence and counts those it reads. Its logits
 * depend on all tokens of a sequence, so a prompt that is shared wrongly gives other samples. Under a second.
 */
import { describe, expect, it } from 'vitest';
import type { Sampled } from '../embedded/sampling/growing-sample.ts';
import { uniformAt } from '../embedded/sampling/philox.ts';
import type { BindingContext, BindingModel, Bindings } from './library.ts';
import { LlamaSampler, type LlamaTokens } from './sampler.ts';

const VOCABULARY = 64;
const END = 0;
const tokens: LlamaTokens = {
  size: VOCABULARY,
  endIds: new Set([END]),
  isChoosable: () => true,
  bytesOf: (id) => Uint8Array.of(id),
  decode: (ids) => Buffer.from(ids).toString('latin1'),
  encodePrompt: (text) => [...Buffer.from(text, 'latin1')].map((byte) => 1 + (byte % (VOCABULARY - 1))),
};

/** Computes the logits after the tokens of a sequence. */
function logitsAfter(ids: readonly number[]): number[] {
  const seed = ids.reduce((hash, id) => (31 * hash + id) % 1_000_003, 7);
  return Array.from({ length: VOCABULARY }, (_, id) => 6 * uniformAt(seed, id) - (id === END ? 2 : 0));
}

/** Sequences as llama.cpp has them, and the number of tokens that it has read. */
class StandIn {
  read = 0;
  readonly #sequences = new Map<number, number[]>();
  /** Parts of the batch, and the index of each wanted logit with the tokens before it. */
  #parts: { readonly sequence: number; readonly ids: readonly number[] }[] = [];
  #room = 0;
  #wanted: { readonly sequence: number; readonly index: number }[] = [];
  #logits = new Map<number, number[]>();
  #inBatch = 0;

  get context(): BindingContext {
    const no = (): never => {
      throw new Error('not part of sampling');
    };
    return {
      initBatch: (room) => {
        this.#parts = [];
        this.#wanted = [];
        this.#inBatch = 0;
        this.#room = room;
      },
      addToBatch: (sequence, position, ids, wanted) => {
        expect(position).toBe(this.#of(sequence).length);
        this.#parts.push({ sequence, ids: [...ids] });
        const indices = wanted.map((at) => this.#inBatch + at);
        for (const index of indices) this.#wanted.push({ sequence, index });
        this.#inBatch += ids.length;
        expect(this.#inBatch).toBeLessThanOrEqual(this.#room);
        return indices;
      },
      decodeBatch: async () => {
        this.read += this.#inBatch;
        for (const { sequence, ids } of this.#parts) this.#sequences.set(sequence, [...this.#of(sequence), ...ids]);
        this.#logits = new Map(this.#wanted.map(({ sequence, index }) => [index, logitsAfter(this.#of(sequence))]));
      },
      sampleToken: async (index, _, __, ___, filter) => {
        const sorted = Array.from(this.#logits.get(index)!, (logit, id) => [id, logit] as const);
        sorted.sort((left, right) => right[1] - left[1]);
        const highest = sorted[0]![1];
        const listed = filter === false ? [] : sorted.slice(0, Math.max(1, filter[4])).flat();
        return [sorted[0]![0], null, null, listed, sorted.reduce((sum, [, one]) => sum + Math.exp(one - highest), 0)];
      },
      disposeSequence: (sequence) => {
        this.#sequences.delete(sequence);
      },
      copySequenceStateFromOtherSequence: async (to, from) => {
        this.#sequences.set(to, [...this.#of(from)]);
        return 0;
      },
      removeTokenCellsFromSequence: no,
      getEmbedding: no,
    };
  }

  #of(sequence: number): readonly number[] {
    return this.#sequences.get(sequence) ?? [];
  }
}

const bindings = {
  AddonSampler: class {
    applyConfig(): void {}
  },
} as unknown as Bindings;

const PROMPT = 'theorem add_comm (n m : Nat) : n + m = m + n := by ';
const OTHER = 'theorem mul_comm (n m : Nat) : n * m = m * n := by ';

interface SampledOptions {
  readonly rows?: number;
  readonly batchTokens?: number;
  readonly prompts?: readonly string[];
  readonly rulesFor?: NonNullable<LlamaTokens['rulesFor']>;
}

/** Twelve samples of each prompt, and the number of tokens that were read. */
async function sampled({ rows = 4, batchTokens = 512, prompts = [PROMPT], rulesFor }: SampledOptions) {
  const standIn = new StandIn();
  const { context } = standIn;
  const own = rulesFor === undefined ? tokens : { ...tokens, rulesFor };
  const options = { bindings, model: {} as BindingModel, tokens: own, contextLength: 160 };
  const sampler = new LlamaSampler({ ...options, context, rows, batchTokens });
  for (const [group, prompt] of prompts.entries())
    sampler.add({
      prompt,
      sampling: { temperature: 1, topP: 1, maxTokens: 20 },
      samples: Array.from({ length: 12 }, (_, index) => ({ key: 100 * group + index, seed: index })),
    });
  const ended: Sampled[] = [];
  while (!sampler.idle) ended.push(...(await sampler.step()).ended);
  ended.sort((left, right) => left.key - right.key);
  return { ended, read: standIn.read, written: ended.reduce((sum, one) => sum + one.tokens, 0) };
}

describe('samples of one prompt', () => {
  it('read it once: one reading of the prompt, and each written token', async () => {
    const { ended, read, written } = await sampled({});
    expect(ended).toHaveLength(12);
    expect(new Set(ended.map(({ text }) => text)).size).toBe(12);
    // A sample reads the prompt's last token itself, for the logits after it, and not its own last token.
    expect(read).toBe(PROMPT.length - 1 + written);
  });

  it('read it once where it takes several batches', async () => {
    const { ended, read, written } = await sampled({ batchTokens: 16 });
    expect(read).toBe(PROMPT.length - 1 + written);
    expect(ended).toEqual((await sampled({})).ended);
  });

  it('read it once beside those of another prompt', async () => {
    const { ended, read, written } = await sampled({ prompts: [PROMPT, OTHER] });
    expect(ended).toHaveLength(24);
    expect(read).toBe(PROMPT.length - 1 + (OTHER.length - 1) + written);
    expect(ended.slice(0, 12)).toEqual((await sampled({})).ended);
  });

  it('are those that follow from their whole text', async () => {
    const { ended } = await sampled({});
    const alone = await sampled({ rows: 1 });
    expect(alone.ended).toEqual(ended);
    const start = tokens.encodePrompt(PROMPT);
    for (const { text, logprob, finish } of ended) {
      const ids = [...start, ...Buffer.from(text, 'latin1'), ...(finish === 'stop' ? [END] : [])];
      let sum = 0;
      for (let at = start.length; at < ids.length; at++) {
        const logits = logitsAfter(ids.slice(0, at));
        sum += logits[ids[at]!]! - Math.log(logits.reduce((total, logit) => total + Math.exp(logit), 0));
      }
      expect(logprob).toBeCloseTo(sum, 9);
    }
  });
});

describe('samples under the rules of a prompt', () => {
  it('have no forbidden token, each as likely as in the model', async () => {
    const masked = Array.from({ length: VOCABULARY }, (_, id) => id).filter((id) => id % 4 === 1);
    const { ended } = await sampled({ rulesFor: () => ({ masked, newWriter: null }) });
    const written = new Set(ended.flatMap(({ text }) => [...Buffer.from(text, 'latin1')]));
    expect(written.size).toBeGreaterThan(10);
    expect(masked.filter((id) => written.has(id))).toEqual([]);
    // The logarithms are those of the whole vocabulary.
    const [first] = ended;
    const logits = logitsAfter(tokens.encodePrompt(PROMPT));
    const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
    const [one] = (await sampled({ rows: 1, rulesFor: () => ({ masked, newWriter: null }) })).ended;
    expect(one).toEqual(first);
    expect(first!.logprob).toBeLessThan(logits[Buffer.from(first!.text, 'latin1')[0]!]! - Math.log(total) + 1e-9);
  });

  it('follow a writer of their own', async () => {
    // Writes 5, 6, 7, … and then the end.
    const newWriter = () => {
      let next = 5;
      return { allowed: () => [next < 9 ? next : END], push: () => void next++ };
    };
    const { ended } = await sampled({ rulesFor: () => ({ masked: [], newWriter }) });
    expect(new Set(ended.map(({ text }) => text))).toEqual(new Set(['\x05\x06\x07\x08']));
    expect(ended.every(({ finish, tokens: count }) => finish === 'stop' && count === 5)).toBe(true);
  });
});
