/**
 * `POST /v1/completions` and `/v1/chat/completions`: turns a request into samples with a seed each, whole or
 * streamed.
 */
import { randomInt } from 'node:crypto';
import { StpError } from '@stp/base';
import type { WorkTracker } from '@stp/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Completion, GenerateOptions, SampleRequest, SamplingOptions } from '../generator.ts';
import { badRequest } from './api-error.ts';
import { type AnswerForm, CHAT_FORM, COMPLETION_FORM, usageOf } from './completion-answer.ts';
import { type CompletionRequest, parseChatRequest, parseCompletionRequest } from './completion-request.ts';
import { completionEvents } from './completion-stream.ts';
import { CHOICES_MAX } from './limits.ts';
import type { ServeMetrics } from './serve-metrics.ts';
import type { ServedModel } from './served-model.ts';
import { countedText } from './texts.ts';

/** Upper bound of generated seeds, so that the following numbers are safe integers. */
const SEED_BOUND = 2 ** 47;

export interface CompletionJob {
  readonly modelName: string;
  readonly requests: readonly SampleRequest[];
  readonly sampling: SamplingOptions;
  readonly promptTokens: number;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export function completionsHandler(...served: Served): Handler {
  return answering(COMPLETION_FORM, async (body) => parseCompletionRequest(body), ...served);
}

/** A chat's prompt is the text that the model's template renders. */
export function chatHandler(...served: Served): Handler {
  const [{ template }] = served;
  return answering(
    CHAT_FORM,
    async (body) => {
      const { messages, ...request } = parseChatRequest(body);
      if (template === null) throw badRequest('The model has no chat template; use /v1/completions.', 'messages');
      const prompt = await template.render(messages).catch((error: unknown) => {
        throw error instanceof StpError ? badRequest(`${error.message}.`, 'messages') : error;
      });
      return { ...request, prompts: [prompt] };
    },
    ...served,
  );
}

/** The model, its running work, its metrics, and the receiver of failures that clients see only in part. */
type Served = readonly [
  model: ServedModel,
  tracker: WorkTracker,
  metrics: ServeMetrics,
  report: (error: unknown) => void,
];

function answering(
  form: AnswerForm,
  parse: (body: unknown) => Promise<CompletionRequest>,
  ...[model, tracker, metrics, report]: Served
): Handler {
  return async ({ body }, reply) => {
    const startedAt = performance.now();
    const work = tracker.begin(reply.raw);
    let isStreaming = false;
    try {
      const request = await parse(body);
      const job = await jobOf(request, model);
      metrics.promptTokens.inc(job.promptTokens);
      const sample = (options: GenerateOptions) =>
        sampleCounted(model, job, { ...options, signal: work.signal }, metrics);
      if (request.stream) {
        const { signal, end } = work;
        const withUsage = request.streamUsage;
        const events = await completionEvents({ ...job, form, sample, withUsage, signal, report, end });
        metrics.firstTextSeconds.observe((performance.now() - startedAt) / 1_000);
        isStreaming = true;
        return await reply.type('text/event-stream').header('cache-control', 'no-cache').send(events);
      }
      const completions = await sample({});
      const completionTokens = completions.reduce((sum, { tokens }) => sum + tokens, 0);
      return {
        ...form.head(job.modelName, false),
        choices: completions.map((completion, index) => form.choice(index, completion)),
        usage: usageOf(job.promptTokens, completionTokens),
      };
    } finally {
      // A stream ends its work when it closes.
      if (!isStreaming) work.end();
    }
  };
}

/**
 * Choice i of the request, counted over all its prompts, gets seed + i. So equal prompts of a request give different
 * choices, and a later request can repeat any one of them.
 */
async function jobOf(request: CompletionRequest, model: ServedModel): Promise<CompletionJob> {
  const { prompts, choicesPerPrompt, sampling, gbnf } = request;
  if (gbnf !== null && !model.readsGrammars)
    throw badRequest(
      '`response_format` is for models that llama.cpp samples (a GGUF).',
      'response_format',
      'unsupported_parameter',
    );
  const modelName = model.nameFor(request.model);
  const count = prompts.length * choicesPerPrompt;
  if (count > CHOICES_MAX)
    throw badRequest(`\`n\` times the number of prompts is ${count}; ${CHOICES_MAX} are allowed.`, 'n');
  const seed = request.seed ?? randomInt(SEED_BOUND);
  if (!Number.isSafeInteger(seed + count)) throw badRequest(`\`seed\` is at most 2^53 - ${count} here.`, 'seed');
  const counted = await Promise.all(prompts.map((input) => countedText(input, model.tokenizer, 'prompt')));
  const promptTokens = counted.reduce((sum, { tokens }) => sum + tokens, 0);
  const requests = counted.flatMap(({ text, tokens }, promptIndex) => {
    model.checkPrompt(tokens);
    return Array.from({ length: choicesPerPrompt }, (_, choice) => {
      const index = promptIndex * choicesPerPrompt + choice;
      return { id: String(index), prompt: text, seed: seed + index, ...(gbnf === null ? {} : { gbnf }) };
    });
  });
  const maxTokens = sampling.maxTokens ?? model.generator.model.contextLength;
  return { modelName, requests, sampling: { ...sampling, maxTokens }, promptTokens };
}

async function sampleCounted(
  { generator }: ServedModel,
  { requests, sampling }: CompletionJob,
  options: GenerateOptions,
  metrics: ServeMetrics,
): Promise<readonly Completion[]> {
  let unfinished = requests.length;
  metrics.choicesQueued.inc(unfinished);
  try {
    return await generator.sample(requests, sampling, {
      ...options,
      onCompletion: (index, completion) => {
        unfinished--;
        metrics.choicesQueued.dec();
        metrics.completionTokens.inc(completion.tokens);
        options.onCompletion?.(index, completion);
      },
    });
  } finally {
    metrics.choicesQueued.dec(unfinished);
  }
}
