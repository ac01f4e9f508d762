/**
 * llama.cpp behind the `Generator` port: a GGUF, or a checkpoint folder that becomes one, on the processor or on what GPU this
 * machine has. It runs in a process of its own, whose failures are `StpError`s. A sample depends on its seed and, by rounding
 * errors, on what is decoded beside it.
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
  /** Cores that the engine may use where its configuration does not say how many threads it has. */
  readonly cores: number;
  /** Run the process belongs to, for clean-up. */
  readonly runMark?: string | undefined;
  /** Whether the process outlives an aborted call that was the only one. */
  readonly staysWarm?: boolean;
}

export interface OpenedLlamaCpp {
  readonly generator: Generator;
  readonly tokens: PromptTokens;
  /** Null where the model has none. */
  readonly template: TemplateData | null;
}

export function llamaCppGenerator(options: LlamaCppOptions): GeneratorFactory {
  return async (directory) => (await openLlamaCpp(directory, options)).generator;
}

/** Throws STP1302 where the model is damaged or not what llama.cpp runs, STP1301 where it does not fit into the memory. */
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
