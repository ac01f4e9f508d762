/**
 * The engines that train and sample (`engines` of the configuration). Commands and folders are those of the node where
 * the engine runs.
 */
import { z } from 'zod';

const positive = z.int().positive();
const path = z.string().min(1).max(4_096);
/** One argument of a command, passed on unchanged. */
const argument = z.string().min(1).max(1_024);
const ARGUMENTS_MAX = 64;

/** Folder of the first model, if the run has no checkpoint yet; null: `model` with random weights. */
const base = path.nullable().default(null);

/** LoRA: low-rank adapters over frozen weights (Hu et al., arXiv 2106.09685), by the library peft. */
const lora = z.strictObject({
  rank: positive.max(1_024).default(32),
  /** The adapter's output is multiplied by alpha / rank. */
  alpha: z.number().positive().max(65_536).default(64),
  /** Last parts of the names of the adapted matrices (`q_proj`); empty: all but the embedding and the head. */
  targets: z
    .array(z.string().regex(/^\w{1,64}$/))
    .max(64)
    .default([]),
  /** Hold the frozen weights in four bits each (QLoRA, Dettmers et al., arXiv 2305.14314); needs bitsandbytes. */
  quantised: z.boolean().default(false),
  /** `merged`: the checkpoint is a whole model. `separate`: it is the adapter alone, which is served with `base`. */
  output: z.enum(['merged', 'separate']).default('merged'),
});

/** The ONNX training graph in a child process of the worker. `base` as for PyTorch, but it is never downloaded. */
const embeddedTrainer = z.strictObject({ kind: z.literal('embedded'), base });

/**
 * `packages/language-model/trainers/python/train.py`: PyTorch trains any causal language model that transformers
 * loads, on the CPU or on the GPUs of one node or of all nodes.
 */
const pytorchTrainer = z
  .strictObject({
    kind: z.literal('pytorch'),
    /** Python with torch, transformers, accelerate and peft (`infra/bootstrap/locks/pytorch.txt`). */
    python: path.default('python3'),
    device: z.enum(['cpu', 'cuda']).default('cuda'),
    /** Precision of the computation, and of frozen weights (see `lora`). */
    precision: z.enum(['float32', 'bfloat16']).default('bfloat16'),
    /**
     * Hold trained weights and their moments in float32. False: in `precision`, with half the memory and coarser
     * steps.
     */
    floatMasters: z.boolean().default(true),
    /**
     * How transformers computes attention; `auto` leaves it to the library. `flash_attention_2` needs the package
     * flash-attn.
     */
    attention: z.enum(['auto', 'eager', 'sdpa', 'flex_attention', 'flash_attention_2']).default('auto'),
    /** Null: all weights change. */
    lora: lora.nullable().default(null),
    /**
     * `all`: the processes of all machines of the run train together; they must reach one another. `one`: only the
     * first does.
     */
    nodes: z.enum(['one', 'all']).default('one'),
    /** Processes on a node, one for each GPU. */
    processes: positive.max(64).default(1),
    /** `fsdp`: every process holds a share of the weights and moments; `replicated`: each holds all. */
    parallelism: z.enum(['replicated', 'fsdp']).default('replicated'),
    /** Recompute a layer's activations from its input: about a third more work for far less memory. */
    recomputeActivations: z.boolean().default(false),
    /** Padded tokens in one pass of a process. Changes speed and memory use, not the result. */
    microBatchTokens: positive.max(1 << 22).default(16_384),
    /**
     * Minimum time between two saved states on the node. Each state is copied to the store unless the previous copy is
     * still running. A lost process loses at most this much work, and so does a lost node if the store keeps up.
     */
    keepStateSeconds: z.number().nonnegative().max(86_400).default(600),
    /**
     * The first model: a folder, `hf://OWNER/NAME@COMMIT` with an optional `#sha256=…`, or `gs://BUCKET/PREFIX`
     * (`bin/stp weights`).
     */
    base,
    /** Whether a node may download a `base` that it does not have. */
    fetchBase: z.boolean().default(false),
  })
  .refine(({ lora, base }) => lora?.output !== 'separate' || base !== null, {
    path: ['base'],
    message: 'a separate adapter belongs to a model that base names',
  });

/** Levanter (JAX) on TPU: one process on every host of a slice. */
const levanterTrainer = z.strictObject({
  kind: z.literal('levanter'),
  /** Python with Levanter (`infra/bootstrap/pins.json`). */
  python: path.default('python3'),
  /** Examples (rows of the model's context) in one pass of a device; -1: the whole batch in one pass. */
  rowsPerDevice: z.union([z.literal(-1), positive.max(4_096)]).default(-1),
  /** Number of devices that together hold one copy of the model (tensor parallelism). The copies share the batch. */
  modelParallelism: positive.max(256).default(1),
  keepStateSeconds: z.number().positive().max(86_400).default(900),
  /** False lets it run without an accelerator, for trials. */
  requireAccelerator: z.boolean().default(true),
  base,
});

export const trainerEngineSchema = z.discriminatedUnion('kind', [embeddedTrainer, pytorchTrainer, levanterTrainer]);
export type TrainerEngine = z.infer<typeof trainerEngineSchema>;
export type PytorchEngine = z.infer<typeof pytorchTrainer>;
export type LevanterEngine = z.infer<typeof levanterTrainer>;

/** A vLLM server on the sampling node, started for each checkpoint when it is requested. */
const vllmGenerator = z.strictObject({
  kind: z.literal('vllm'),
  /** The `vllm` executable, with leading arguments if it needs some. */
  command: z.array(argument).min(1).max(ARGUMENTS_MAX).default(['vllm']),
  port: z.int().min(1_024).max(65_535).default(8_000),
  /** Prompt and completion together, tokens; null: the model's context. */
  contextLength: positive
    .max(1 << 20)
    .nullable()
    .default(null),
  tensorParallelism: positive.max(64).default(1),
  /** Share of an accelerator's memory that the server uses. */
  memoryShare: z.number().positive().max(1).default(0.9),
  requestsInFlight: positive.max(99_999).default(256),
  /** Loading a model of tens of gigabytes from a cold disk takes minutes. */
  startTimeoutSeconds: positive.max(7_200).default(1_800),
  /** Appended after our own arguments. */
  arguments: z.array(argument).max(ARGUMENTS_MAX).default([]),
});

/**
 * `transformers serve` on the sampling node, started for each checkpoint when it is requested. It and a training on
 * the same accelerator run one at a time.
 */
const transformersGenerator = z.strictObject({
  kind: z.literal('transformers'),
  /** Python with the packages of `infra/bootstrap/locks/pytorch.txt`; null: the PyTorch trainer's, else `python3`. */
  python: path.nullable().default(null),
  /** Null: the PyTorch trainer's, else `cuda`. */
  device: z.enum(['cpu', 'cuda']).nullable().default(null),
  precision: z.enum(['float32', 'bfloat16']).default('bfloat16'),
  port: z.int().min(1_024).max(65_535).default(8_000),
  /** Prompt and completion together, tokens; null: the model's context. */
  contextLength: positive
    .max(1 << 20)
    .nullable()
    .default(null),
  /** Share of the free memory for the KV cache. */
  memoryShare: z.number().positive().max(0.95).default(0.8),
  requestsInFlight: positive.max(4_096).default(128),
  startTimeoutSeconds: positive.max(7_200).default(600),
});

/** llama.cpp on the sampling node; `bin/stp setup --with llama-cpp` installs it. */
const llamaCppGenerator = z.strictObject({
  kind: z.literal('llama-cpp'),
  /** Prompt and completion together, tokens; null: the model's, at most 4,096. */
  contextLength: positive
    .min(2)
    .max(1 << 20)
    .nullable()
    .default(null),
  /** Samples decoded together. Each has a cache of the whole context; the prompt has one more. */
  sequences: positive.max(255).default(4),
  /**
   * Null: half the worker's cores. The threads wait for each other at every step, so a thread that shares its core
   * with Lean stops all.
   */
  threads: positive.max(1_024).nullable().default(null),
  /** Layers on the GPU; `auto`: as many as fit in its memory. */
  gpuLayers: z.union([z.literal('auto'), z.int().nonnegative().max(1_024)]).default('auto'),
  /** LoRA adapters as GGUF files. */
  adapters: z
    .array(z.strictObject({ path, scale: z.number().min(-100).max(100).default(1) }))
    .max(16)
    .default([]),
});

export const generatorEngineSchema = z.discriminatedUnion('kind', [
  /** The ONNX decoder, or the servers of STP_GENERATOR_URL. */
  z.strictObject({ kind: z.literal('embedded') }),
  vllmGenerator,
  transformersGenerator,
  llamaCppGenerator,
]);
export type TransformersEngine = z.infer<typeof transformersGenerator>;
export type LlamaCppEngine = z.infer<typeof llamaCppGenerator>;
/** Returns the engine with its defaults. Throws a `ZodError` for invalid values. */
export const llamaCppEngine = (values: Partial<Omit<LlamaCppEngine, 'kind'>> = {}): LlamaCppEngine =>
  llamaCppGenerator.parse({ kind: 'llama-cpp', ...values });
export type VllmEngine = z.infer<typeof vllmGenerator>;

export const enginesConfigSchema = z.strictObject({
  trainer: trainerEngineSchema.prefault({ kind: 'embedded' }),
  generator: generatorEngineSchema.default({ kind: 'embedded' }),
});
export type EnginesConfig = z.infer<typeof enginesConfigSchema>;
/** The engines that one machine can have for itself; Levanter trains on a slice. */
export type EngineName = Exclude<EnginesConfig['generator']['kind'] | TrainerEngine['kind'], 'levanter'>;
