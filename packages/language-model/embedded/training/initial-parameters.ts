/**
 * Random initial weights: norms are 1, matrices are normal with variance 1 / fan-in, and the matrices that write to the
 * residual stream are scaled down by depth as in GPT-2. The usual fixed deviation of 0.02 suits hidden sizes in the
 * thousands, and trains much more slowly at 128.
 */
import type { ModelShape } from '../../trainer.ts';
import { parameterLayout, parameterView } from './parameter-layout.ts';
import { normalGenerator } from './random.ts';

/** Returns the flat vector of `parameterLayout(shape)` before training. */
export function initialParameters(shape: ModelShape, seed: number): Float32Array {
  const layout = parameterLayout(shape);
  const parameters = new Float32Array(layout.size);
  const normal = normalGenerator(seed);
  for (const entry of layout.entries) {
    const view = parameterView(parameters, entry);
    const [, fanIn] = entry.shape;
    if (fanIn === undefined) {
      view.fill(1);
      continue;
    }
    const entersStream = entry.name.endsWith('o_proj.weight') || entry.name.endsWith('down_proj.weight');
    const deviation = 1 / Math.sqrt(entersStream ? fanIn * 2 * shape.layers : fanIn);
    for (let index = 0; index < view.length; index += 1) view[index] = deviation * normal();
  }
  return parameters;
}
