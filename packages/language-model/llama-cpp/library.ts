/**
 * Starts node-llama-cpp and types the part that the engine uses. Batches, caches and samplers are driven through the
 * binding (`_ctx`, `_bindings`), because the library's public interface returns no logits and cannot copy sequences.
 * The version is pinned by its hash (`infra/llama-cpp/lock.json`), and the tests run these calls.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StpError } from '@stp/base';

/** Pairs in one flat list: token, logit. */
type Logits = readonly number[];
type SampledToken = readonly [
  id: number,
  _: unknown,
  __: unknown,
  logits: Logits | undefined,
  weight: number | undefined,
];

declare const brand: unique symbol;
export interface GrammarState {
  readonly [brand]: 'grammar state';
}
interface Grammar {
  readonly [brand]: 'grammar';
}

export interface BindingSampler {
  applyConfig(config: { temperature?: number; topK?: number; seed?: number }): void;
}

export interface BindingContext {
  initBatch(tokens: number): void;
  /** Returns the indices in the batch of the wanted logits. */
  addToBatch(sequence: number, position: number, ids: Uint32Array, wanted: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  sampleToken(
    batchIndex: number,
    sampler: BindingSampler,
    probabilities: false,
    confidence: false,
    logits: false | readonly [ids: readonly number[], highest: boolean, lowest: boolean, chosen: boolean, top: number],
    weight: boolean,
  ): Promise<SampledToken>;
  disposeSequence(sequence: number): void;
  removeTokenCellsFromSequence(sequence: number, from: number, to: number): boolean;
  copySequenceStateFromOtherSequence(to: number, from: number): Promise<number>;
  getEmbedding(tokens: number): Float64Array;
}

export interface BindingModel {
  tokenize(text: string, takesSpecial: boolean): Uint32Array;
  isEogToken(id: number): boolean;
  shouldPrependBosToken(): boolean;
  tokenBos(): number;
  getEmbeddingVectorSize(): number;
}

export interface Bindings {
  readonly AddonSampler: {
    new (model: BindingModel): BindingSampler;
    acceptGrammarEvaluationStateToken(state: GrammarState, id: number): void;
    canBeNextTokenForGrammarEvaluationState(state: GrammarState, id: number): boolean;
  };
  readonly AddonGrammar: { new (text: string, options: object): Grammar };
  readonly AddonGrammarEvaluationState: {
    new (model: BindingModel, grammar: Grammar): GrammarState;
    new (state: GrammarState): GrammarState;
  };
  getIsArchSupported(architecture: string): boolean;
}

export interface LlamaContext {
  readonly _ctx: BindingContext;
  readonly contextSize: number;
  dispose(): Promise<void>;
}

export interface LlamaModel {
  readonly _model: BindingModel;
  readonly trainContextSize: number;
  createContext(options: Record<string, unknown>): Promise<LlamaContext>;
}

export interface Llama {
  readonly gpu: string | false;
  readonly _bindings: Bindings;
  loadModel(options: Record<string, unknown>): Promise<LlamaModel>;
}

/** Number of error lines of llama.cpp that are kept, because its exceptions contain little. */
const ERRORS_KEPT = 4;
const printed: string[] = [];

/** Returns the last error lines of llama.cpp, or null. */
export const lastErrors = (): string | null => (printed.length === 0 ? null : printed.join('; '));

function keepError(level: string, message: string): void {
  if (level !== 'error' && level !== 'fatal') return;
  const line = message.trim().split('\n')[0]!;
  if (line !== '') printed.push(line.slice(0, 200));
  if (printed.length > ERRORS_KEPT) printed.shift();
}

/** Starts llama.cpp. `library` is the folder of node-llama-cpp. Throws STP1301 if it does not start. */
export async function startLlama(library: string, threads: number, gpuLayers: number | 'auto'): Promise<Llama> {
  const path = join(library, 'dist/index.js');
  try {
    const { getLlama } = (await import(pathToFileURL(path).href)) as {
      getLlama(options: Record<string, unknown>): Promise<Llama>;
    };
    return await getLlama({
      gpu: gpuLayers === 0 ? false : 'auto',
      build: 'never',
      skipDownload: true,
      usePrebuiltBinaries: true,
      progressLogs: false,
      logLevel: 'error',
      logger: keepError,
      maxThreads: threads,
    });
  } catch (error) {
    const said = error instanceof Error ? error.message.split('\n')[0]! : String(error);
    const why = said === 'NoBinaryFoundError' ? 'no binary beside it runs here' : said;
    const advice = 'Run bin/stp setup --with llama-cpp: it says what is wrong and installs llama.cpp again.';
    throw new StpError('STP1301', `llama.cpp in ${library} does not start: ${why}`, advice);
  }
}
