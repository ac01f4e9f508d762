/** The model and options that a process of llama.cpp opens. */
export interface LlamaOpening {
  /** Folder of node-llama-cpp. */
  readonly library: string;
  /** A GGUF with the name that records have for it, or a folder that becomes one. */
  readonly model:
    | { readonly kind: 'gguf'; readonly path: string; readonly name: string }
    | { readonly kind: 'folder'; readonly directory: string };
  /** Prompt and completion together, tokens; null: the model's, at most `CONTEXT_DEFAULT_MAX`. */
  readonly contextLength: number | null;
  readonly gpuLayers: number | 'auto';
  readonly adapters: readonly { readonly path: string; readonly scale: number }[];
  readonly threads: number;
}

/** Longer contexts take memory for every sequence, so they are asked for. */
export const CONTEXT_DEFAULT_MAX = 4_096;
/** Most tokens of a batch. */
export const BATCH_TOKENS = 512;
