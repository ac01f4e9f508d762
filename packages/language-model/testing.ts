/** What tests and benches of other packages use of `@stp/language-model`. Production code imports `index.ts`. */
export { readCheckpoint, writeCheckpoint } from './checkpoint/checkpoint.ts';
export { CHECKPOINT_FILES, type CheckpointFile, manifestOf } from './checkpoint/manifest.ts';
export { writeSafetensors } from './checkpoint/safetensors.ts';
export { readModel } from './checkpoint/sampled-model.ts';
export { untrained } from './checkpoint/training-record.ts';
export { makeFreshCheckpoint } from './embedded/fresh-checkpoint.ts';
export type { InnerProducts } from './embedded/matrix/inner-products.ts';
export { likelihood } from './embedded/objectives/likelihood.ts';
export type { Objective } from './embedded/objectives/objective.ts';
export { objectiveOf } from './embedded/objectives/objectives.ts';
export { errorOf, failureOf } from './embedded/process/failure.ts';
export { proofWordsOf } from './embedded/proof-grammar/proof-words.ts';
export { ProofTokens, ProofWriter } from './embedded/proof-grammar/proof-writer.ts';
export { Embedder } from './embedded/sampling/embedder.ts';
export { uniformAt } from './embedded/sampling/philox.ts';
export { Reader } from './embedded/sampling/reader.ts';
export { type SampledModel, Sampler } from './embedded/sampling/sampler.ts';
export { TypedTokens, TypedWriter } from './embedded/sampling/typed-writer.ts';
export { MODEL_SIZES } from './embedded/sizes.ts';
export { initialParameters } from './embedded/training/initial-parameters.ts';
export { KeptLogprobs } from './embedded/training/kept-logprobs.ts';
export { packRows } from './embedded/training/pack-rows.ts';
export { packedBatch } from './embedded/training/packed-batch.ts';
export { parameterLayout, parameterView } from './embedded/training/parameter-layout.ts';
export { uniformGenerator } from './embedded/training/random.ts';
export { DATA_START, exampleSteps } from './embedded/training/schedule-examples.ts';
export { sequenceLogprobs } from './embedded/training/sequence-logprobs.ts';
export { stepBatches } from './embedded/training/step-batches.ts';
export { trainInProcess } from './embedded/training/train.ts';
export { type StepPlan, TrainingEngine } from './embedded/training/training-engine.ts';
export { TrainingSet } from './embedded/training/training-set.ts';
export { freshState } from './embedded/training/training-state.ts';
export { beamSearch, type GrowingRows } from './encoder-decoder/beam-search.ts';
export { BYTE_END_ID, byteIds, byteText } from './encoder-decoder/byte-tokenizer.ts';
export { readEncoderDecoderFolder } from './encoder-decoder/folder.ts';
export { EncoderDecoderModel } from './encoder-decoder/model.ts';
export type { GenerateOptions } from './generator.ts';
export { adapterParameters, cacheBytesPerToken, parameters, trainingMemory } from './plan/memory.ts';
export { trainingTokensPerSecond } from './plan/plan.ts';
export { runTrainerProcesses } from './process/trainer-processes.ts';
export { typedGrammarText } from './remote/openai/grammar-text.ts';
export { modelsSchema } from './remote/openai/wire.ts';
export { ServeMetrics } from './serve/serve-metrics.ts';
export { type Answering, type Asked, completionOf, fakeServer, sendJson } from './testing/fake-server.ts';
export { generatorContract, requestsFor, SAMPLING, sameSamples } from './testing/generator-contract.ts';
export { lossAndGradient, plainEngine } from './testing/one-step.ts';
export {
  atEnd,
  checkpointDirectory,
  clientOf,
  openEmbedded,
  openRemote,
  PROMPTS,
  serveGenerator,
} from './testing/served.ts';
export { LEAN_TEXTS, SMALL_SHAPE, smallCheckpoint, temporaryDirectory } from './testing/small-checkpoint.ts';
export { lively, randomExample, SMALL_SHAPE as TRAINED_SHAPE, weighted } from './testing/small-model.ts';
export { EXAMPLES, smallTraining } from './testing/small-training.ts';
export { standInForLevanter } from './testing/stand-in-levanter.ts';
export { tinyEncoderDecoder } from './testing/tiny-encoder-decoder.ts';
export { markersOf } from './tokenizer/special-tokens.ts';
export { writeTokenizer } from './tokenizer/tokenizer-file.ts';
export { trainTokenizer } from './tokenizer/train.ts';
export type { ModelShape, TrainOptions, TrainProgress, TrainRequest } from './trainer.ts';
export { rowsWanted } from './trainers/levanter/config.ts';
export { parseMetricsLine } from './trainers/levanter/metrics-log.ts';
