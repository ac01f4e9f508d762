/** The served model: its engine, its tokenizer and chat template, and its names. */
import { basename, resolve } from 'node:path';
import { ChatTemplate } from '../chat/chat-template.ts';
import type { TemplateData } from '../chat/template-messages.ts';
import { readFolderTokenizer } from '../checkpoint/folder-tokenizer.ts';
import { modelFiles } from '../checkpoint/model-folder.ts';
import type { Generator } from '../generator.ts';
import type { PromptTokens } from '../tokenizer/prompt-tokens.ts';
import { badRequest, modelNotFound } from './api-error.ts';

export class ServedModel {
  readonly generator: Generator;
  readonly tokenizer: PromptTokens;
  /** Null if the model has none; chats are then refused. */
  readonly template: ChatTemplate | null;
  /** First the name in answers, then the hash of the weights, by which a run finds its checkpoint. */
  readonly names: readonly string[];
  /** Whether the engine supports grammars, and so `response_format`. */
  readonly readsGrammars: boolean;
  /** Unix time, seconds. */
  readonly openedAt = Math.floor(Date.now() / 1_000);

  private constructor(
    generator: Generator,
    tokenizer: PromptTokens,
    template: ChatTemplate | null,
    name: string,
    readsGrammars: boolean,
  ) {
    this.readsGrammars = readsGrammars;
    this.generator = generator;
    this.tokenizer = tokenizer;
    this.template = template;
    this.names = [...new Set([name, generator.model.name])];
  }

  /** `name` defaults to the folder's name. */
  static async open(generator: Generator, checkpointDirectory: string, name?: string): Promise<ServedModel> {
    const { tokenizer, template } = await readFolderTokenizer(await modelFiles(checkpointDirectory));
    const its = { tokens: tokenizer, template, readsGrammars: false };
    return ServedModel.of(generator, its, name ?? basename(resolve(checkpointDirectory)));
  }

  static of(
    generator: Generator,
    {
      tokens,
      template,
      readsGrammars,
    }: { readonly tokens: PromptTokens; readonly template: TemplateData | null; readonly readsGrammars: boolean },
    name: string,
  ): ServedModel {
    const chats = template === null ? null : new ChatTemplate(template);
    return new ServedModel(generator, tokens, chats, name, readsGrammars);
  }

  /** Returns the name for an answer: the requested one. Throws the 404 if it is another model's. */
  nameFor(asked: string | null): string {
    if (asked !== null && !this.names.includes(asked)) throw modelNotFound(asked, this.names);
    return asked ?? this.names[0]!;
  }

  /** Throws the 400 if the prompt leaves no room for an answer. */
  checkPrompt(tokens: number): void {
    const { contextLength } = this.generator.model;
    if (tokens === 0) throw badRequest('`prompt` is empty.', 'prompt');
    if (tokens < contextLength) return;
    const message = `The model's context length is ${contextLength} tokens, and the prompt has ${tokens}.`;
    throw badRequest(message, 'prompt', 'context_length_exceeded');
  }

  /** Returns the list of `GET /v1/models`; `max_model_len` is vLLM's field. */
  list() {
    return this.names.map((id) => this.describe(id));
  }

  describe(id: string) {
    const { contextLength } = this.generator.model;
    return { id, object: 'model', created: this.openedAt, owned_by: 'stp', max_model_len: contextLength };
  }
}
