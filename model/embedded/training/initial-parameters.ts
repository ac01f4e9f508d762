/** Fresh weights: normal with a small deviation, norms one, and the layers' outputs scaled down by depth as in GPT-2. */
import type { ModelShape } from '../../trainer.ts';
import { parameterLayout, parameterView } from './parameter-layout.ts';
import { normalGenerator } from './random.ts';

/** Standard deviation of the embedding and of every matrix (Llama's and GPT-2's value). */
const INITIAL_DEVIATION = 0.02;

/** The flat vector of `parameterLayout(shape)` before training. */
export function initialParameters(shape: ModelShape, seed: number): Float32Array {
  const layout = parameterLayout(shape);
  const parameters = new Float32Array(layout.size);
  const normal = normalGenerator(seed);
  for (const entry of layout.entries) {
    const view = parameterView(parameters, entry);
    if (entry.shape.length === 1) {
      view.fill(1);
      continue;
    }
    const writesResidual = entry.name.endsWith('o_proj.weight') || entry.name.endsWith('down_proj.weight');
    const deviation = writesResidual ? INITIAL_DEVIATION / Math.sqrt(2 * shape.layers) : INITIAL_DEVIATION;
    for (let index = 0; index < view.length; index += 1) view[index] = deviation * normal();
  }
  return parameters;
}
