/** The tokenizer of a model folder, with settings from other files: the tokens that end a text, the chat template. */
import { z } from 'zod';
import { TEMPLATE_CHARS_MAX } from '../chat/chat-template.ts';
import type { TemplateData } from '../chat/template-messages.ts';
import type { ProofWords } from '../tokenizer/proof-words.ts';
import type { Tokenizer, TokenizerMarks } from '../tokenizer/tokenizer.ts';
import { readTokenizer, TOKENIZER_BYTES_MAX } from '../tokenizer/tokenizer-file.ts';
import { proofWordsIn } from './config.ts';
import { type ModelFiles, parseJson } from './files.ts';

export const JSON_BYTES_MAX = 4 * 1024 * 1024;

const tokenId = z.int().nonnegative();
const tokenIds = z.union([z.null(), tokenId.transform((id) => [id]), z.array(tokenId).max(64)]).optional();
const idsSchema = z.looseObject({ eos_token_id: tokenIds, pad_token_id: tokenId.nullish() });

const token = z
  .union([z.string(), z.looseObject({ content: z.string() }).transform(({ content }) => content)])
  .nullish();
const template = z.string().max(TEMPLATE_CHARS_MAX);
const tokenizerConfigSchema = z.looseObject({
  bos_token: token,
  eos_token: token,
  pad_token: token,
  /** One template, or several by name. */
  chat_template: z
    .union([template, z.array(z.looseObject({ name: z.string(), template })).max(64)])
    .nullish()
    .transform((given) =>
      typeof given === 'string' ? given : (given?.find(({ name }) => name === 'default')?.template ?? null),
    ),
});

export interface FolderTokenizer {
  readonly tokenizer: Tokenizer;
  /** Null if the model has none. */
  readonly template: TemplateData | null;
  /** Words of proofs; only our own checkpoints have them. */
  readonly proofWords: ProofWords | null;
}

/** Throws STP1302 if a file is missing or unsupported. */
export async function readFolderTokenizer(files: ModelFiles): Promise<FolderTokenizer> {
  const text = (await files.read('tokenizer.json', TOKENIZER_BYTES_MAX)).toString('utf8');
  const path = files.path('tokenizer.json');
  const settings = await jsonIn(files, 'tokenizer_config.json', (json) => ({
    ...tokenizerConfigSchema.parse(json),
    proofWords: proofWordsIn(json),
  }));
  const generation = await jsonIn(files, 'generation_config.json', (json) => idsSchema.parse(json));
  const config = await jsonIn(files, 'config.json', (json) => idsSchema.parse(json));
  const marks = (idOf: (token: string) => number | undefined): TokenizerMarks => {
    const named = settings?.eos_token ? idOf(settings.eos_token) : undefined;
    const padId = config?.pad_token_id ?? (settings?.pad_token ? idOf(settings.pad_token) : undefined) ?? null;
    const endIds = generation?.eos_token_id ?? config?.eos_token_id ?? [];
    return { endIds: [...new Set([...(named === undefined ? [] : [named]), ...endIds])], padId };
  };
  const tokenizer = readTokenizer(text, path, marks);
  return { tokenizer, template: await templateIn(files, settings), proofWords: settings?.proofWords ?? null };
}

/**
 * Reads the chat template of a model folder, from a separate file or the tokenizer's configuration; null if there is
 * none.
 */
export async function readTemplate(files: ModelFiles): Promise<TemplateData | null> {
  const settings = await jsonIn(files, 'tokenizer_config.json', (json) => tokenizerConfigSchema.parse(json));
  return templateIn(files, settings);
}

async function templateIn(
  files: ModelFiles,
  settings: z.infer<typeof tokenizerConfigSchema> | null,
): Promise<TemplateData | null> {
  const written = await files.find('chat_template.jinja', TEMPLATE_CHARS_MAX);
  const source = written?.toString('utf8') ?? settings?.chat_template ?? null;
  const names = { bos_token: settings?.bos_token ?? '', eos_token: settings?.eos_token ?? '' };
  return source === null ? null : { source, names };
}

async function jsonIn<Value>(files: ModelFiles, name: string, parse: (json: unknown) => Value): Promise<Value | null> {
  const content = await files.find(name, JSON_BYTES_MAX);
  return content === null ? null : parseJson(content, files.path(name), parse);
}
