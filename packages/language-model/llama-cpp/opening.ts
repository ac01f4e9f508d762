/** The model and options that a process of llama.cpp opens. */
export interface LlamaOpening {
  /** Folder of node-llama-cpp. */
  readonly library: string;
  /** A GGUF with its name in records, or a folder to be converted. */
  readonly model:
    | { readonly kind: 'gguf'; readonly path: string; readonly name: string }
    | { readonly kind: 'folder'; readonly directory: string };
  /** Prompt and completion together, tokens; null: the model's context, at most `CONTEXT_DEFAULT_MAX`. */
  readonly contextLength: number | null;
  readonly gpuLayers: number | 'auto';
  readonly adapters: readonly { readonly path: string; readonly scale: number }[];
  readonly threads: number;
}

/** Default limit: a longer context takes memory for every sequence, so the configuration must request it. */
export const CONTEXT_DEFAULT_MAX = 4_096;
/** Maximum tokens of a batch. */
export const BATCH_TOKENS = 512;
