/** `POST /v1/embeddings`: vectors of length 1, as numbers or as base64 of little-endian float32. */

import type { WorkTracker } from '@stp/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { EMBEDDING_TOKENS_MAX } from '../generator.ts';
import { badRequest } from './api-error.ts';
import type { ServeMetrics } from './serve-metrics.ts';
import type { ServedModel } from './served-model.ts';
import { countedText, firstProblem, textsSchema } from './texts.ts';

const bodySchema = z.object({
  model: z.string().nullish(),
  input: textsSchema,
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().nullish(),
});

/** A text beyond the embedding's limit is cut, as the port specifies; `usage` counts the tokens that were read. */
export function embeddingsHandler(model: ServedModel, tracker: WorkTracker, metrics: ServeMetrics) {
  return async ({ body }: FastifyRequest, reply: FastifyReply) => {
    const parsed = bodySchema.safeParse(body);
    if (!parsed.success) throw firstProblem(parsed.error);
    const { input, encoding_format: encoding, dimensions } = parsed.data;
    const { generator } = model;
    const name = model.nameFor(parsed.data.model ?? null);
    const { contextLength, hiddenSize } = generator.model;
    if ((dimensions ?? hiddenSize) !== hiddenSize)
      throw badRequest(`\`dimensions\` other than the model's ${hiddenSize} are not supported.`, 'dimensions');
    const work = tracker.begin(reply.raw);
    try {
      const texts = await Promise.all(input.map((text) => countedText(text, model.tokenizer, 'input')));
      if (texts.some(({ tokens }) => tokens === 0)) throw badRequest('`input` holds an empty text.', 'input');
      const readMax = Math.min(contextLength, EMBEDDING_TOKENS_MAX);
      const tokens = texts.reduce((sum, text) => sum + Math.min(text.tokens, readMax), 0);
      metrics.promptTokens.inc(tokens);
      const vectors = await generator.embed(
        texts.map(({ text }) => text),
        { signal: work.signal },
      );
      return {
        object: 'list',
        data: vectors.map((vector, index) => ({
          object: 'embedding',
          index,
          embedding: encoding === 'base64' ? base64Of(vector) : [...vector],
        })),
        model: name,
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      };
    } finally {
      work.end();
    }
  };
}

function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(4 * vector.length);
  vector.forEach((value, index) => {
    bytes.writeFloatLE(value, 4 * index);
  });
  return bytes.toString('base64');
}
