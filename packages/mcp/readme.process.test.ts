/** The example of the README runs, and prints what the page says. */
import { expect, it } from 'vitest';
import { readmeExample } from '../../test/support/readme-example.ts';

it('prints what the README says', async () => {
  const { printed, promised } = await readmeExample(import.meta.dirname);
  expect(printed).toBe(promised);
});
