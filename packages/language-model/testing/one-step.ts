/** Losses and gradients as training computes them: by the graph that trains, read off the first moment after one step. */
import type { LlamaConstants } from '../checkpoint/llama-tensors.ts';
import type { GraphLoss } from '../embedded/training/graph-loss.ts';
import type { PackedBatch } from '../embedded/training/packed-batch.ts';
import { TrainingEngine } from '../embedded/training/training-engine.ts';
import { freshState } from '../embedded/training/training-state.ts';
import type { ModelShape } from '../trainer.ts';

/** Share of the first gradient that AdamW's first moment starts with. */
const FIRST_SHARE = Math.fround(0.1);

/** An engine that neither clips nor decays. */
export function plainEngine(shape: ModelShape, loss?: GraphLoss, constants?: LlamaConstants): TrainingEngine {
  return new TrainingEngine({
    shape,
    threads: 1,
    weightDecay: 0,
    gradientClipNorm: 0,
    ...(loss && { loss }),
    ...(constants && { constants }),
  });
}

/** Loss and flat gradient of micro-batches together; `parameters` stay as they are. */
export async function lossAndGradient(
  engine: TrainingEngine,
  parameters: Float32Array,
  ...batches: readonly PackedBatch[]
): Promise<{ readonly loss: number; readonly gradient: Float32Array }> {
  const state = freshState(Float32Array.from(parameters));
  const [result] = await engine.train(state, [{ step: 1, learningRate: 1e-3, batches }]);
  return { loss: result!.loss, gradient: state.firstMoment.map((value) => value / FIRST_SHARE) };
}
