/**
 * The chat template of a model (Jinja, from its folder) turns messages into the text that the model reads. A template
 * is foreign code: it runs in a thread of its own, with limits on time, memory and output length, and can access only
 * the messages.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { StpError } from '@stp/base';
import type { ChatMessage } from '@stp/config/records';
import type { TemplateAnswer, TemplateData, TemplateRequest } from './template-messages.ts';

/** Maximum length of a template, characters. The longest in use have about 20,000. */
export const TEMPLATE_CHARS_MAX = 262_144;
/** Rendering takes milliseconds; this limit includes the start of the thread on a busy machine. */
const RENDER_MS_MAX = 10_000;
const HEAP_MIB_MAX = 256;
const TEXT_CHARS_MAX = 8 * 1024 * 1024;
const PROBLEM_CHARS_MAX = 200;

export class ChatTemplate {
  readonly #data: TemplateData;
  readonly #limitMs: number;
  #thread: Worker | null = null;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(data: TemplateData, limitMs = RENDER_MS_MAX) {
    this.#data = data;
    this.#limitMs = limitMs;
  }

  /**
   * Renders a chat up to the assistant's answer. Throws STP1002 if the template refuses the messages or does not end.
   */
  render(messages: readonly ChatMessage[]): Promise<string> {
    const rendered = this.#queue.then(() => this.#render(messages));
    this.#queue = rendered.catch(() => undefined);
    return rendered;
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#end();
  }

  async #render(messages: readonly ChatMessage[]): Promise<string> {
    const answer = await this.#ask({ messages });
    if ('problem' in answer) throw refused(answer.problem);
    if (answer.text.length > TEXT_CHARS_MAX) throw refused(`it makes a text of ${answer.text.length} characters`);
    return answer.text;
  }

  async #ask(request: TemplateRequest): Promise<TemplateAnswer> {
    if (this.#thread === null) {
      this.#thread = new Worker(new URL('./template-thread.ts', import.meta.url), {
        workerData: this.#data,
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX },
        env: {},
      });
      this.#thread.unref();
    }
    const thread = this.#thread;
    const over = new AbortController();
    try {
      const { signal } = over;
      const answered = once(thread, 'message', { signal }).then(([answer]) => answer as TemplateAnswer);
      thread.postMessage(request);
      const answer = await Promise.race([answered, sleep(this.#limitMs, null, { signal })]);
      if (answer !== null) return answer;
      await this.#end();
      return { problem: `it did not end within ${this.#limitMs / 1_000} s` };
    } catch (error) {
      await this.#end();
      return { problem: error instanceof Error ? error.message : String(error) };
    } finally {
      over.abort();
    }
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }
}

function refused(problem: string): StpError {
  const line = problem.replace(/\s+/gu, ' ').slice(0, PROBLEM_CHARS_MAX);
  return new StpError(
    'STP1002',
    `the chat template of the model gives no text: ${line}`,
    'Send other messages, or the text of the prompt itself.',
  );
}
