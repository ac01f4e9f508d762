/**
 * Reads `config.json` as Hugging Face's `transformers` writes it: the sizes of a Llama-like decoder, and its
 * differences from Llama. Refuses a model whose fields ask for another computation.
 */
import { z } from 'zod';
import type { ModelShape } from '../trainer.ts';
import { shapeFrom, sizeFields } from './config.ts';
import { type LlamaConstants, PROJECTIONS, type Projection, ROPE_THETA, type RopeScaling } from './llama-tensors.ts';

/** Longer contexts are refused: tables and caches are made for the whole context. */
const CONTEXT_MAX = 65_536;
/** Mistral's window if its file names none. */
const MISTRAL_WINDOW = 4_096;

const factor = z.number().positive().max(1e6);
const theta = z.number().positive().max(1e12);
const tokens = z.int().positive();

const scalingSchema = z.discriminatedUnion(
  'rope_type',
  [
    z.looseObject({ rope_type: z.literal('default') }),
    z.looseObject({ rope_type: z.literal('linear'), factor }),
    z.looseObject({
      rope_type: z.literal('llama3'),
      factor,
      low_freq_factor: factor,
      high_freq_factor: factor,
      original_max_position_embeddings: tokens,
    }),
    z.looseObject({
      rope_type: z.literal('yarn'),
      factor: factor.nullish(),
      attention_factor: factor.nullish(),
      beta_fast: factor.nullish(),
      beta_slow: factor.nullish(),
      mscale: z.union([z.null(), z.literal(0)]).optional(),
      original_max_position_embeddings: tokens.nullish(),
      truncate: z.boolean().default(true),
    }),
  ],
  'a scaling of positions that is not computed here',
);
/** Before version 4.43 of `transformers` the field was called `type`. */
const ropeSchema = z.preprocess(
  (value) =>
    typeof value === 'object' && value !== null
      ? { ...value, rope_type: 'rope_type' in value ? value.rope_type : 'type' in value ? value.type : 'default' }
      : value,
  z.intersection(
    scalingSchema,
    z.looseObject({ rope_theta: theta.optional(), partial_rotary_factor: z.literal(1).optional() }),
  ),
);

/** Unknown fields are allowed; fields that change the computation must match the engine's computation. */
const configSchema = z.looseObject({
  ...sizeFields,
  num_key_value_heads: sizeFields.num_key_value_heads.nullish(),
  tie_word_embeddings: z.boolean().default(false),
  model_type: z.enum(['llama', 'mistral', 'qwen2', 'qwen3'], 'an architecture that is not computed here'),
  head_dim: z.int().min(2).max(1_024).nullish(),
  hidden_act: z.literal('silu'),
  rms_norm_eps: z.number().positive().max(1),
  // Before version 5 of `transformers`, base and scaling were separate fields.
  rope_theta: theta.optional(),
  rope_parameters: ropeSchema.nullish(),
  rope_scaling: ropeSchema.nullish(),
  partial_rotary_factor: z.literal(1).optional(),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  use_sliding_window: z.boolean().optional(),
  sliding_window: tokens.nullish(),
  layer_types: z.array(z.enum(['full_attention', 'sliding_attention'])).nullish(),
  auto_map: z.undefined('code of its own').optional(),
});
type Config = z.infer<typeof configSchema>;

export interface Architecture {
  readonly shape: ModelShape;
  readonly constants: LlamaConstants;
}

/** Throws a ZodError if the engine cannot run the model. */
export function architectureOf(json: unknown): Architecture {
  const config = configSchema.parse(json);
  const shape = shapeFrom({
    ...config,
    num_key_value_heads: config.num_key_value_heads ?? config.num_attention_heads,
    max_position_embeddings: Math.min(config.max_position_embeddings, windowOf(config), CONTEXT_MAX),
  });
  const rope = config.rope_parameters ?? config.rope_scaling;
  const scaling = rope ? scalingOf(rope, config.max_position_embeddings) : null;
  const biases = biasesOf(config);
  const headSize = config.head_dim ?? (config.model_type === 'qwen3' ? QWEN3_HEAD_SIZE : null);
  evenSchema.parse(headSize ?? shape.hiddenSize / shape.heads);
  return {
    shape,
    constants: {
      rmsEpsilon: config.rms_norm_eps,
      ropeTheta: rope?.rope_theta ?? config.rope_theta ?? ROPE_THETA,
      ...(scaling === null ? {} : { ropeScaling: scaling }),
      ...(headSize === null || headSize * shape.heads === shape.hiddenSize ? {} : { headSize }),
      ...(biases.length === 0 ? {} : { biases }),
      ...(config.model_type === 'qwen3' ? { headNorms: true } : {}),
    },
  };
}

/** Qwen3's head size if its file names none. */
const QWEN3_HEAD_SIZE = 128;
/** Rotary embedding rotates the two halves of a head against each other, so its size must be even. */
const evenSchema = z.int('heads must divide the hidden size').multipleOf(2, 'a head must have an even size');

/** For texts no longer than the window, windowed attention is full attention. */
function windowOf({
  model_type: type,
  sliding_window: window,
  use_sliding_window: isUsed,
  layer_types: layers,
}: Config): number {
  const everywhere = Number.POSITIVE_INFINITY;
  if (layers?.includes('sliding_attention')) return window ?? everywhere;
  if (type === 'mistral') return window === undefined ? MISTRAL_WINDOW : (window ?? everywhere);
  return isUsed ? (window ?? everywhere) : everywhere;
}

function biasesOf({
  model_type: type,
  attention_bias: attention,
  mlp_bias: feedForward,
}: Config): readonly Projection[] {
  const ofAttention =
    type === 'qwen2' ? ['query', 'key', 'value'] : attention ? ['query', 'key', 'value', 'output'] : [];
  const wanted = new Set([...ofAttention, ...(feedForward ? ['gate', 'up', 'down'] : [])]);
  return PROJECTIONS.filter((projection) => wanted.has(projection));
}

function scalingOf(rope: z.infer<typeof scalingSchema>, contextLength: number): RopeScaling | null {
  switch (rope.rope_type) {
    case 'default':
      return null;
    case 'linear':
      return { kind: 'linear', factor: rope.factor };
    case 'llama3': {
      const { factor, low_freq_factor: low, high_freq_factor: high } = rope;
      return { kind: 'llama3', factor, low, high, trainedLength: rope.original_max_position_embeddings };
    }
    case 'yarn': {
      const trainedLength = rope.original_max_position_embeddings ?? contextLength;
      const factor = rope.factor ?? contextLength / trainedLength;
      const stretched = factor <= 1 ? 1 : 0.1 * Math.log(factor) + 1;
      return {
        kind: 'yarn',
        factor,
        trainedLength,
        attention: rope.attention_factor ?? stretched,
        fast: rope.beta_fast || 32,
        slow: rope.beta_slow || 1,
        isRounded: rope.truncate,
      };
    }
  }
}
