/** A generator that renders a request's messages with its model's chat template. */
import type { GenerateOptions, Generator, ModelFacts, SampleRequest, SamplingOptions } from '../generator.ts';
import type { ChatTemplate } from './chat-template.ts';

export class ChatGenerator implements Generator {
  readonly #generator: Generator;
  readonly #template: ChatTemplate;

  constructor(generator: Generator, template: ChatTemplate) {
    this.#generator = generator;
    this.#template = template;
  }

  get model(): ModelFacts {
    return this.#generator.model;
  }

  async sample(requests: readonly SampleRequest[], sampling: SamplingOptions, options?: GenerateOptions) {
    // Many samples share the same messages.
    const texts = new Map<string, Promise<string>>();
    const textOf = (messages: NonNullable<SampleRequest['messages']>): Promise<string> => {
      const key = JSON.stringify(messages);
      const text = texts.get(key) ?? this.#template.render(messages);
      texts.set(key, text);
      return text;
    };
    const written = await Promise.all(
      requests.map(async ({ messages, ...request }) =>
        messages === undefined ? request : { ...request, prompt: await textOf(messages) },
      ),
    );
    return this.#generator.sample(written, sampling, options);
  }

  embed(...asked: Parameters<Generator['embed']>) {
    return this.#generator.embed(...asked);
  }

  async close(): Promise<void> {
    await this.#template.close();
    await this.#generator.close();
  }
}
