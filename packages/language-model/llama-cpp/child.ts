/** Entry of a process that samples with llama.cpp. A file that crashes llama.cpp ends only this process. */
import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { readModel } from '../checkpoint/model-folder.ts';
import { damaged, foreign } from '../damaged.ts';
import { serveSampler } from '../embedded/process/serve-sampler.ts';
import { ModelRules } from '../embedded/sampling/prompt-rules.ts';
import { readGguf, textIn } from '../gguf/gguf-file.ts';
import { writeModelGguf } from '../gguf/model-gguf.ts';
import { LlamaEmbedder } from './embedder.ts';
import { ggufTokens } from './gguf-tokens.ts';
import { type Llama, type LlamaModel, lastErrors, startLlama } from './library.ts';
import { BATCH_TOKENS, CONTEXT_DEFAULT_MAX, type LlamaOpening } from './opening.ts';
import { LlamaSampler, type LlamaTokens } from './sampler.ts';

interface Loaded {
  readonly model: LlamaModel;
  readonly tokens: LlamaTokens;
  readonly name: string;
}

serveSampler(async (opening: LlamaOpening, rows) => {
  const llama = await startLlama(opening.library, opening.threads, opening.gpuLayers);
  const { model, tokens, name } =
    opening.model.kind === 'gguf'
      ? await loadGguf(llama, opening.model, opening)
      : await loadFolder(llama, opening.model.directory, opening);
  const contextLength = Math.min(opening.contextLength ?? CONTEXT_DEFAULT_MAX, model.trainContextSize);
  await requireAdapters(opening);
  const context = await refused(
    model.createContext({
      sequences: rows + 1,
      contextSize: contextLength,
      batchSize: Math.max(BATCH_TOKENS, rows),
      threads: opening.threads,
      ignoreMemorySafetyChecks: false,
      ...(opening.adapters.length === 0
        ? {}
        : { lora: { adapters: opening.adapters.map(({ path, scale }) => ({ filePath: path, scale })) } }),
    }),
    `${contextLength} tokens for each of ${rows} samples and the prompt`,
    'Ask for fewer samples at once or a shorter context (engines.generator.sequences, engines.generator.contextLength).',
  );
  const { _bindings: bindings } = llama;
  const options = { bindings, model: model._model, tokens, rows, contextLength, batchTokens: BATCH_TOKENS };
  const embedder = new LlamaEmbedder(model, tokens, Math.min(contextLength, model.trainContextSize), opening.threads);
  return {
    sampler: new LlamaSampler({ ...options, context: context._ctx }),
    model: { name, contextLength, vocabularySize: tokens.size, hiddenSize: model._model.getEmbeddingVectorSize() },
    embed: (texts) => embedder.embed(texts),
    encodePrompt: tokens.encodePrompt,
    decode: tokens.decode,
  };
});

async function loadGguf(
  llama: Llama,
  { path, name }: { readonly path: string; readonly name: string },
  opening: LlamaOpening,
): Promise<Loaded> {
  const gguf = await readGguf(path);
  const architecture = textIn(gguf.metadata, 'general.architecture') ?? 'none';
  if (!llama._bindings.getIsArchSupported(architecture))
    throw foreign(path, `the architecture ${architecture.slice(0, 40)}, which this version of llama.cpp does not know`);
  const model = await load(llama, path, opening);
  return { model, tokens: ggufTokens(gguf, model._model, path), name };
}

/** Converts the folder to a file, which is removed once it is loaded. */
async function loadFolder(llama: Llama, directory: string, opening: LlamaOpening): Promise<Loaded> {
  const folder = await readModel(directory);
  const path = join(tmpdir(), `stp-model-${randomBytes(8).toString('hex')}.gguf`);
  try {
    await writeModelGguf(folder, path, directory);
    const { tokenizer, shape, proofWords } = folder;
    const rules = new ModelRules(tokenizer, proofWords);
    const neverId = tokenizer.endIds.has(tokenizer.padId) ? null : tokenizer.padId;
    const tokens: LlamaTokens = {
      size: shape.vocabularySize,
      isChoosable: (id) => id < tokenizer.size && id !== neverId,
      endIds: tokenizer.endIds,
      bytesOf: (id) => tokenizer.bytesOf(id),
      decode: (ids) => tokenizer.decode(ids),
      encodePrompt: (text) => tokenizer.encodePrompt(text),
      rulesFor: (prompt, ids) => rules.rulesFor(prompt, ids),
    };
    return { model: await load(llama, path, opening), tokens, name: folder.model };
  } finally {
    await rm(path, { force: true });
  }
}

/** Loads without a memory map: weights that llama.cpp repacks would be in memory twice, in the map and in the copy. */
const load = (llama: Llama, path: string, { gpuLayers }: LlamaOpening): Promise<LlamaModel> =>
  refused(
    llama.loadModel({ modelPath: path, gpuLayers, useMmap: false }),
    path,
    'Take a smaller file of the model (fewer bits a weight), or a machine with more memory.',
  );

/** Turns a lack of memory or a refused file into an error of one line. */
async function refused<Value>(opened: Promise<Value>, what: string, advice: string): Promise<Value> {
  try {
    return await opened;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const why = (lastErrors() ?? message).split('\n')[0]!.slice(0, 300);
    if (/memory|VRAM|RAM|allocat/i.test(why))
      throw new StpError('STP1301', `${what}: ${why}`, advice, { cause: error });
    throw damaged(what, `llama.cpp does not open it: ${why}`, error);
  }
}

async function requireAdapters({ adapters }: LlamaOpening): Promise<void> {
  for (const { path } of adapters) {
    if (!(await stat(path).catch(() => null))?.isFile()) throw damaged(path, 'there is no such adapter');
    const { metadata } = await readGguf(path);
    if (textIn(metadata, 'general.type') !== 'adapter' || textIn(metadata, 'adapter.type') !== 'lora')
      throw foreign(path, 'it is no LoRA adapter');
  }
}
