/**
 * Entry of the thread that renders a chat template. The template is foreign code, so the thread has limits of its
 * own.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Template } from '@huggingface/jinja';
import type { TemplateAnswer, TemplateData, TemplateRequest } from './template-messages.ts';

const { source, names } = workerData as TemplateData;
/** As `transformers` passes them to a template where nobody gives any: templates test them for `none`. */
const NOT_GIVEN = { tools: null, documents: null };
let template: Template | null = null;

parentPort!.on('message', ({ messages }: TemplateRequest) => {
  parentPort!.postMessage(render(messages));
});

function render(messages: TemplateRequest['messages']): TemplateAnswer {
  try {
    template ??= new Template(source);
    return { text: template.render({ ...NOT_GIVEN, ...names, messages, add_generation_prompt: true }) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
