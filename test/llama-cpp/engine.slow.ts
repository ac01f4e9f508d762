/**
 * Tests llama.cpp behind the `Generator` port, on a small random model and its GGUF: the contract of every engine,
 * agreement with the embedded engine, grammars, adapters and refusals. Installs llama.cpp into the cache if necessary
 * (some 40 MB to download). Costs half a minute.
 *
 * @module-tag slow
 */
import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LlamaCppEngine, llamaCppEngine } from '@stp/config';
import { PROOF_MARKER } from '@stp/config/words';
import {
  embeddedGenerator,
  type Generator,
  llamaCppGenerator,
  modelIn,
  openLlamaCpp,
  writeGgufModel,
} from '@stp/language-model';
import { planGguf, totalGib } from '@stp/language-model/plan';
import {
  generatorContract,
  jsonGrammar,
  llamaGguf,
  PROOF_PROMPT,
  proofCheckpoint,
  proofFlaw,
  requestsFor,
  SAMPLING,
  smallCheckpoint,
  writeCheckpoint,
  writeGguf,
} from '@stp/language-model/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { installLlamaCpp } from '../../infra/llama-cpp/install.ts';
import { markedFigures } from '../../tools/bench/measure.ts';
import { workerSettings } from '../../workers/settings.ts';
import { expectSameFigures, GREEDY } from './same-figures.ts';

vi.setConfig({ testTimeout: 120_000 });
/** One thread, since with more threads than idle cores llama.cpp waits for itself. */
const ENGINE: LlamaCppEngine = llamaCppEngine({ gpuLayers: 0, threads: 1 });
const checkpoint = smallCheckpoint();
const written = llamaGguf(checkpoint);
let library: string;
let home: string;
/** Folder of the checkpoint and its GGUF. */
let folder: string;
let gguf: string;
const opened: Generator[] = [];

async function open(directory: string, engine: Partial<LlamaCppEngine> = {}): Promise<Generator> {
  const generator = await llamaCppGenerator({ engine: { ...ENGINE, ...engine }, library, cores: 1 })(directory);
  opened.push(generator);
  return generator;
}

/** Makes the folder that represents a GGUF file. */
async function ggufFolder(name: string, file: Buffer): Promise<string> {
  const path = join(home, `${name}.gguf`);
  await writeFile(path, file);
  await writeGgufModel(path, join(home, name));
  return join(home, name);
}

beforeAll(async () => {
  ({ library } = await installLlamaCpp({ cacheDirectory: workerSettings().cacheDirectory, say: console.log }));
  home = await mkdtemp(join(tmpdir(), 'stp-llama-'));
  folder = join(home, 'checkpoint');
  await writeCheckpoint(folder, checkpoint);
  gguf = await ggufFolder('small', writeGguf(written.fields, written.tensors));
});
afterAll(async () => {
  for (const generator of opened) await generator.close();
  await rm(home, { recursive: true, force: true });
});

// One sample at a time, because batches are rounded in another way.
describe('llama.cpp on a checkpoint', () => {
  let generator: Generator;
  beforeAll(async () => {
    generator = await open(folder, { sequences: 1 });
  });
  generatorContract(() => generator);
});

describe('samples of llama.cpp', () => {
  it('are those of the embedded engine where nothing is random, with its log-probabilities', async () => {
    const embedded = await embeddedGenerator({ threads: 1 })(folder);
    opened.push(embedded);
    // The file has weights in single precision. The folder is converted to half precision, which caches use too.
    for (const [directory, closeness] of [
      [gguf, 5e-3],
      [folder, 0.05],
    ] as const) {
      const { tokens, generator } = await openLlamaCpp(directory, { engine: ENGINE, library, cores: 1 });
      opened.push(generator);
      // llama.cpp splits some texts differently from the tokenizer of the checkpoint.
      const read = await Promise.all(requestsFor(1).map(({ prompt }) => tokens.encodePrompt(prompt)));
      const alike = requestsFor(1).filter(
        ({ prompt }, index) => read[index]!.join() === checkpoint.tokenizer.encodePrompt(prompt).join(),
      );
      expect(alike.length).toBeGreaterThanOrEqual(directory === folder ? 6 : 3);
      const expected = await embedded.sample(alike, GREEDY);
      const found = await generator.sample(alike, GREEDY);
      const compared = expectSameFigures(found, expected, closeness);
      expect(compared).toBeGreaterThan(2 * alike.length);
    }
    expect((await open(gguf)).model).toEqual({ ...embedded.model, name: await modelIn(gguf), vocabularySize: 320 });
  });

  it('are the same the next time, and differ by their seeds', async () => {
    const generator = await open(gguf);
    const { prompt } = requestsFor(1)[0]!;
    const requests = Array.from({ length: 12 }, (_, index) => ({ id: String(index), prompt, seed: index }));
    const first = await generator.sample(requests, SAMPLING);
    expect(await generator.sample(requests, SAMPLING)).toEqual(first);
    expect(new Set(first.map(({ text }) => text)).size).toBeGreaterThan(6);
  });

  it('follow a sharper distribution at a lower temperature, and a nucleus', async () => {
    const generator = await open(gguf);
    const requests = requestsFor(20);
    const mean = async (sampling: object) => {
      const completions = await generator.sample(requests, { ...SAMPLING, topP: 1, maxTokens: 1, ...sampling });
      return completions.reduce((sum, { logprob }) => sum + logprob!, 0) / completions.length;
    };
    const [free, cooler, nucleus] = [await mean({}), await mean({ temperature: 0.5 }), await mean({ topP: 0.2 })];
    expect(cooler).toBeGreaterThan(free + 0.5);
    expect(nucleus).toBeGreaterThan(free + 0.5);
  });

  it('are proofs of known words and slots of the prompt where the checkpoint lists its words', async () => {
    const directory = join(home, 'proofs');
    await writeCheckpoint(directory, proofCheckpoint());
    const generator = await open(directory);
    const sample = async (prompt: string) => {
      const requests = Array.from({ length: 24 }, (_, seed) => ({ id: String(seed), prompt, seed }));
      const completions = await generator.sample(requests, { ...SAMPLING, temperature: 2, topP: 1, maxTokens: 60 });
      return completions.filter(({ finish }) => finish === 'stop').map(({ text }) => text);
    };
    const proofs = await sample(PROOF_PROMPT);
    expect(new Set(proofs).size).toBeGreaterThan(2);
    expect(proofs.map((text) => proofFlaw(PROOF_PROMPT, text)).filter((found) => found !== '')).toEqual([]);
    // Elsewhere any text is free, but for slots that the prompt lacks.
    const free = await sample(PROOF_PROMPT.replace(PROOF_MARKER, '<hard>'));
    const flaws = free.map((text) => proofFlaw(PROOF_PROMPT, text));
    expect(flaws.some((found) => found.startsWith('word '))).toBe(true);
    expect(flaws.filter((found) => found.startsWith('slot '))).toEqual([]);
  });

  it('are equations of the grammar', async () => {
    const generator = await open(gguf);
    const symbols = [
      { token: 'rev', kind: 'function', arguments: [0], result: 0 },
      { token: 'xs', kind: 'variable', arguments: [], result: 0 },
    ] as const;
    const grammar = { symbols: [...symbols], conditionType: null } as never;
    const requests = requestsFor(2).map((request) => ({ ...request, grammar }));
    const completions = await generator.sample(requests, { ...SAMPLING, temperature: 2, topP: 1, maxTokens: 80 });
    const done = completions.filter(({ finish }) => finish === 'stop');
    expect(done.length).toBeGreaterThan(0);
    for (const { text } of done) expect(text).toMatch(/^rev \(*(?:rev \(*)*xs\)* = (?:rev \(*)*xs\)*$/u);
    const nothing = { symbols: [symbols[1]], conditionType: null } as never;
    const [empty] = await generator.sample([{ ...requests[0]!, grammar: nothing }], SAMPLING);
    expect(empty).toMatchObject({ text: '', tokens: 0, finish: 'length' });
  });

  it('are JSON of the schema, whatever the model would say', async () => {
    const generator = await open(gguf);
    const form = z.strictObject({
      kind: z.enum(['step', 'error "x"']),
      quote: z.string().max(3).optional(),
      mark: z.union([z.boolean(), z.null(), z.int()]),
      parts: z.array(z.strictObject({ n: z.literal(1) })).max(2),
    });
    const schema = z.toJSONSchema(form) as Record<string, unknown>;
    const gbnf = jsonGrammar({ type: 'json_schema', json_schema: { schema } })!;
    const sampling = { ...SAMPLING, temperature: 1.5, topP: 1, maxTokens: 160 };
    const completions = await generator.sample(
      requestsFor(12).map((request) => ({ ...request, gbnf })),
      sampling,
    );
    const done = completions.filter(({ finish }) => finish === 'stop');
    expect(done.length).toBeGreaterThan(4);
    const read = done.map(({ text }) => form.parse(JSON.parse(text)));
    expect(new Set(read.map(({ kind }) => kind)).size).toBe(2);
    expect(new Set(read.map(({ quote }) => quote === undefined)).size).toBe(2);
    const any = await generator.sample(
      requestsFor(12).map((request) => ({ ...request, gbnf: jsonGrammar({ type: 'json_object' })! })),
      sampling,
    );
    const objects = any.flatMap(({ finish, text }) => (finish === 'stop' ? [JSON.parse(text) as unknown] : []));
    expect(objects.length).toBeGreaterThan(0);
    for (const one of objects) expect(typeof one).toBe('object');
  });

  it('change with an adapter, by its scale', async () => {
    const { hiddenSize } = checkpoint.shape;
    const halfOf = (rows: number, value: (index: number) => number) =>
      Buffer.from(Float32Array.from({ length: rows * 2 }, (_, index) => value(index)).buffer);
    const adapter = join(home, 'adapter.gguf');
    await writeFile(
      adapter,
      writeGguf(
        {
          'general.type': 'adapter',
          'general.architecture': 'llama',
          'adapter.type': 'lora',
          'adapter.lora.alpha': { float: 2 },
        },
        [
          {
            name: 'blk.0.attn_output.weight.lora_a',
            shape: [2, hiddenSize],
            type: 0,
            data: halfOf(hiddenSize, Math.sin),
          },
          {
            name: 'blk.0.attn_output.weight.lora_b',
            shape: [hiddenSize, 2],
            type: 0,
            data: halfOf(hiddenSize, Math.cos),
          },
        ],
      ),
    );
    const greedy = { ...SAMPLING, temperature: 0 };
    const plain = await (await open(gguf)).sample(requestsFor(1), greedy);
    const none = await (await open(gguf, { adapters: [{ path: adapter, scale: 0 }] })).sample(requestsFor(1), greedy);
    const some = await (await open(gguf, { adapters: [{ path: adapter, scale: 1 }] })).sample(requestsFor(1), greedy);
    expect(none.map(({ text }) => text)).toEqual(plain.map(({ text }) => text));
    expect(some.map(({ text }) => text)).not.toEqual(plain.map(({ text }) => text));
    await expect(open(gguf, { adapters: [{ path: `${gguf}.gguf`, scale: 1 }] })).rejects.toMatchObject({
      code: 'STP1302',
      message: expect.stringMatching(/no LoRA adapter/),
    });
  });

  it('have room for a context that is asked for, and none beside a prompt that fills it', async () => {
    const generator = await open(gguf, { contextLength: 32 });
    expect(generator.model.contextLength).toBe(32);
    const [request] = requestsFor(1);
    const [short] = await generator.sample([request!], { ...SAMPLING, maxTokens: 500 });
    expect(short!.tokens).toBeLessThan(32);
    const long = { ...request!, prompt: request!.prompt.repeat(8) };
    expect(await generator.sample([long], SAMPLING)).toMatchObject([{ text: '', tokens: 0, finish: 'length' }]);
  });

  it('end when the caller has enough, and the others go on', async () => {
    const generator = await open(gguf);
    const abort = new AbortController();
    const others = generator.sample(requestsFor(3), SAMPLING);
    const dropped = generator.sample(requestsFor(30), SAMPLING, {
      signal: abort.signal,
      onCompletion: () => abort.abort(new Error('enough')),
    });
    await expect(dropped).rejects.toThrow('enough');
    expect((await others).every(({ tokens }) => tokens > 0)).toBe(true);
  });
});

describe('memory', () => {
  it('is what the plan says, also of weights in four bits, which are laid out anew', async () => {
    const [hidden, inner, layers, words] = [1_024, 8_192, 16, checkpoint.shape.vocabularySize];
    const sizes = { embedding_length: hidden, feed_forward_length: inner, block_count: layers, context_length: 512 };
    const heads = { 'attention.head_count': 16, 'attention.head_count_kv': 16, 'rope.dimension_count': 64 };
    const headSizes = { 'attention.key_length': 64, 'attention.value_length': 64 };
    const own = Object.entries({ ...sizes, ...heads, ...headSizes }).map(([name, value]) => [`llama.${name}`, value]);
    const row = (name: string, shape: readonly number[]) => {
      const count = shape.reduce((product, size) => product * size, 1);
      // Q4_K: 144 bytes for 256 weights. Zeros take as much memory as others.
      const [type, bytes] = shape.length === 1 ? [0, 4 * count] : [12, (count / 256) * 144];
      return { name: `${name}.weight`, shape, type, data: Buffer.alloc(bytes) };
    };
    const layer = (at: number) => [
      ...['attn_norm', 'ffn_norm'].map((name) => row(`blk.${at}.${name}`, [hidden])),
      ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) => row(`blk.${at}.${name}`, [hidden, hidden])),
      ...['ffn_gate', 'ffn_up'].map((name) => row(`blk.${at}.${name}`, [inner, hidden])),
      row(`blk.${at}.ffn_down`, [hidden, inner]),
    ];
    const outer = [row('token_embd', [words, hidden]), row('output_norm', [hidden])];
    const tensors = [...outer, ...Array.from({ length: layers }, (_, at) => layer(at)).flat()];
    const large = await ggufFolder('large', writeGguf({ ...written.fields, ...Object.fromEntries(own) }, tensors));
    const sampling = { contextLength: 256, sequences: 2 };
    const runMark = `memory-${process.pid}`;
    const engine = { ...ENGINE, ...sampling };
    const generator = await llamaCppGenerator({ engine, library, cores: 1, runMark })(large);
    opened.push(generator);
    await generator.sample(requestsFor(2), { ...SAMPLING, maxTokens: 2 });
    const [figures] = await markedFigures(runMark);
    const planned = totalGib((await planGguf(join(home, 'large.gguf'), sampling)).parts);
    expect(figures!.peakBytes / 2 ** 30 / planned).toBeLessThan(1.15);
  });
});

describe('prompts', () => {
  it('are read as the tokenizer of the checkpoint reads them', async () => {
    const { tokens, template, generator } = await openLlamaCpp(gguf, { engine: ENGINE, library, cores: 1 });
    opened.push(generator);
    const text = 'rw [Nat.add_comm]';
    const ids = await tokens.encodePrompt(text);
    expect(ids.length).toBeGreaterThan(0);
    expect(await tokens.decode(ids)).toBe(text);
    expect(template?.source).toBe('{{ messages[0].content }}');
  });
});

describe('a file that llama.cpp cannot open', () => {
  it('is told in a line, and leaves nothing', async () => {
    const { fields, tensors } = written;
    const other = (name: string, changed: Record<string, string | number>) =>
      ggufFolder(name, writeGguf({ ...fields, ...changed }, tensors));
    const unknown = await other('unknown', { 'general.architecture': 'nosuch' });
    await expect(open(unknown)).rejects.toMatchObject({
      code: 'STP1302',
      message: expect.stringMatching(/the architecture nosuch, which this version of llama.cpp does not know/),
    });
    const misfit = await other('misfit', { 'llama.block_count': 3 });
    await expect(open(misfit)).rejects.toMatchObject({ code: 'STP1302', message: expect.stringMatching(/blk\.2/) });
    const cut = await ggufFolder('cut', writeGguf(fields, tensors));
    await truncate(join(home, 'cut.gguf'), 40_000);
    await expect(open(cut)).rejects.toMatchObject({
      code: 'STP1204',
      message: expect.stringMatching(/another hash than the file that this evaluation began with/),
    });
    await expect(writeGgufModel(join(home, 'cut.gguf'), join(home, 'never'))).rejects.toMatchObject({
      code: 'STP1302',
      message: expect.stringMatching(/the file ends before its data do/),
    });
    expect(await readdir(home)).not.toContain('never');
    await rm(join(home, 'cut.gguf'));
    await expect(open(cut)).rejects.toMatchObject({ code: 'STP1302', message: expect.stringMatching(/not on this/) });
    const elsewhere = (await readdir(tmpdir())).filter((name) => /^stp-model-[0-9a-f]{16}\.gguf$/.test(name));
    expect(elsewhere).toEqual([]);
  });
});
