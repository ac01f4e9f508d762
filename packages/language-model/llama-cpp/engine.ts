/**
 * llama.cpp behind the `Generator` port. It runs a GGUF, or a checkpoint folder converted to one, on the CPU or on a
 * GPU, in a separate process whose failures are `StpError`s. A sample depends on its seed and, by rounding errors, on
 * the samples that are decoded with it.
 */
import type { LlamaCppEngine } from '@stp/config';
import { ChatGenerator } from '../chat/chat-generator.ts';
import { ChatTemplate } from '../chat/chat-template.ts';
import type { TemplateData } from '../chat/template-messages.ts';
import { readTemplate } from '../checkpoint/folder-tokenizer.ts';
import { modelFiles } from '../checkpoint/model-folder.ts';
import { SamplingPool } from '../embedded/process/sampling-pool.ts';
import type { Generator, GeneratorFactory } from '../generator.ts';
import { readGguf } from '../gguf/gguf-file.ts';
import type { PromptTokens } from '../tokenizer/prompt-tokens.ts';
import { ggufModelName, ggufTemplate, readGgufModel, requireSameFile } from './gguf-model.ts';
import type { LlamaOpening } from './opening.ts';

export interface LlamaCppOptions {
  readonly engine: LlamaCppEngine;
  /** Folder of node-llama-cpp. */
  readonly library: string;
  /** Number of cores for the engine if its configuration sets no number of threads. */
  readonly cores: number;
  /** The run that the process belongs to, for clean-up. */
  readonly runMark?: string | undefined;
  /** Keep the process after the abort of the only call. */
  readonly staysWarm?: boolean;
}

export interface OpenedLlamaCpp {
  readonly generator: Generator;
  readonly tokens: PromptTokens;
  /** Null if the model has none. */
  readonly template: TemplateData | null;
}

export function llamaCppGenerator(options: LlamaCppOptions): GeneratorFactory {
  return async (directory) => (await openLlamaCpp(directory, options)).generator;
}

/** Throws STP1302 if the model is damaged or unsupported by llama.cpp, STP1301 if it does not fit into memory. */
export async function openLlamaCpp(directory: string, options: LlamaCppOptions): Promise<OpenedLlamaCpp> {
  const { engine, library, cores, runMark, staysWarm } = options;
  const { model, template } = await findModel(directory);
  const { contextLength, gpuLayers, adapters } = engine;
  const threads = engine.threads ?? Math.max(1, Math.floor(cores / 2));
  const opening: LlamaOpening = { library, model, contextLength, gpuLayers, adapters, threads };
  const pool = await SamplingPool.open({
    entry: new URL('./child.ts', import.meta.url),
    opening,
    processes: 1,
    rows: engine.sequences,
    runMark,
    staysWarm,
  });
  return {
    generator: template === null ? pool : new ChatGenerator(pool, new ChatTemplate(template)),
    tokens: {
      encodePrompt: async (text) => (await pool.ask({ text })).ids,
      decode: async (ids) => (await pool.ask({ ids })).text,
    },
    template,
  };
}

async function findModel(
  directory: string,
): Promise<{ readonly model: LlamaOpening['model']; readonly template: TemplateData | null }> {
  const file = await readGgufModel(directory);
  if (file === null)
    return { model: { kind: 'folder', directory }, template: await readTemplate(await modelFiles(directory)) };
  await requireSameFile(file);
  const template = ggufTemplate(await readGguf(file.path));
  return { model: { kind: 'gguf', path: file.path, name: ggufModelName(file) }, template };
}
