/** The named sizes: as many weights as their names and their comments say, and shapes that the engine takes. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { modelShapeSchema } from '../checkpoint/config.ts';
import { MODEL_SIZES } from './sizes.ts';
import { parameterLayout } from './training/parameter-layout.ts';

test('every size has the weights it says', async () => {
  const source = await readFile(new URL('./sizes.ts', import.meta.url), 'utf8');
  for (const [name, shape] of Object.entries(MODEL_SIZES)) {
    expect(modelShapeSchema.parse(shape)).toEqual(shape);
    const weights = parameterLayout(shape).size;
    expect(`${Math.round(weights / 1e6)}M`).toBe(name);
    expect(source).toContain(`/** ${weights.toLocaleString('en-GB')} weights.`);
  }
});
