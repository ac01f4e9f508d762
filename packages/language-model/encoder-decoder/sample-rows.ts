/** Samples at a temperature, all rows together. A row's tokens depend only on its own seed. Temperature 0 is greedy. */
import { TokenChooser } from '../embedded/sampling/choose-token.ts';
import { uniformAt } from '../embedded/sampling/philox.ts';
import type { GrowingRows, Written } from './beam-search.ts';
import { BYTE_END_ID, BYTE_IDS, BYTE_PAD_ID } from './byte-tokenizer.ts';

export interface SampleOptions {
  readonly temperature: number;
  /** One for each sample: safe non-negative integers. */
  readonly seeds: readonly number[];
  readonly maxTokens: number;
}

/**
 * Samples rows, in the order of the seeds. `rows` starts with one row. Padding and ids above the bytes are never
 * chosen.
 */
export async function sampleRows(
  rows: GrowingRows,
  { temperature, seeds, maxTokens }: SampleOptions,
): Promise<Written[]> {
  const chooser = new TokenChooser({ size: BYTE_IDS, neverId: BYTE_PAD_ID });
  const written: Written[] = [];
  /** Index of the sample, index of its row. */
  let open = seeds.map((seed, sample) => ({ seed, sample, row: 0, ids: [] as number[], sum: 0 }));
  for (let length = 1; open.length > 0; length++) {
    const going: { one: (typeof open)[number]; token: number }[] = [];
    for (const one of open) {
      const { id, logprob } = chooser.choose(
        rows.next[one.row]!,
        { temperature, topP: 1 },
        uniformAt(one.seed, length),
      );
      one.sum += logprob;
      if (id !== BYTE_END_ID) one.ids.push(id);
      if (id === BYTE_END_ID || length === maxTokens)
        written[one.sample] = {
          ids: one.ids,
          tokens: length,
          sumLogprob: one.sum,
          finish: id === BYTE_END_ID ? 'stop' : 'length',
        };
      else going.push({ one, token: id });
    }
    if (going.length > 0)
      await rows.extend(
        going.map(({ one }) => one.row),
        going.map(({ token }) => token),
      );
    open = going.map(({ one }, row) => ({ ...one, row }));
  }
  return written;
}
