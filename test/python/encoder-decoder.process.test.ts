/**
 * Encoder-decoders that `optimum-cli` exports, in each form of the decoder: the same log-probabilities, greedy answers, beams and
 * vectors as in transformers. About forty seconds where PyTorch is installed, most of it exporting.
 */
import { join } from 'node:path';
import { EncoderDecoder } from '@stp/language-model';
import {
  BYTE_END_ID,
  beamSearch,
  byteIds,
  byteText,
  EncoderDecoderModel,
  readEncoderDecoderFolder,
} from '@stp/language-model/testing';
import { scratchFolder } from '@stp/lean-verifier/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { optimum } from './python.ts';

const skipped = optimum.skips('encoder-decoders and transformers');
const TOLERANCE = 2e-4;
const BEAMS = 6;
const LENGTH_PENALTIES = [0, 1];
const MAX_TOKENS = 24;
const REQUESTS = [
  { text: 'p q : Prop\nhp : p\n⊢ p ∨ q', prefix: '' },
  { text: 'n : ℕ\n⊢ n + 0 = n', prefix: 'simp [' },
  { text: '⊢ ∀ x, x = x', prefix: 'exact ⟨' },
  { text: 'a', prefix: '' },
];

interface Reference {
  readonly inputIds: readonly number[];
  readonly logProbabilities: readonly number[];
  readonly embedding: readonly number[];
  readonly greedy: readonly number[];
  readonly beams: readonly {
    readonly sequences: readonly (readonly number[])[];
    readonly scores: readonly number[];
    readonly texts: readonly string[];
  }[];
}

let directory: string;
let references: readonly Reference[];
beforeAll(async () => {
  if (skipped) return;
  directory = scratchFolder();
  references = (await optimum.run('make_encoder_decoder.py', {
    directory,
    seed: 5,
    requests: REQUESTS,
    beams: BEAMS,
    lengthPenalties: LENGTH_PENALTIES,
    maxTokens: MAX_TOKENS,
  })) as Reference[];
});

/** Cuts the end and the padding behind it. */
function untilEnd(ids: readonly number[]): readonly number[] {
  const end = ids.indexOf(BYTE_END_ID);
  return end < 0 ? ids : ids.slice(0, end);
}

function expectClose(actual: Float32Array, expected: readonly number[]): void {
  expect(actual.length).toBe(expected.length);
  expect(Math.max(...actual.map((value, index) => Math.abs(value - expected[index]!)))).toBeLessThan(TOLERANCE);
}

describe.skipIf(skipped)('what transformers computes', () => {
  it.each(['merged', 'split', 'plain'] as const)('with a decoder that is %s', async (form) => {
    const folder = await readEncoderDecoderFolder(join(directory, form));
    expect(folder.decoder.kind).toBe(form);
    const model = await EncoderDecoderModel.open(folder, 1);
    for (const [index, { text, prefix }] of REQUESTS.entries()) {
      const { inputIds, logProbabilities, greedy, beams } = references[index]!;
      expect([...byteIds(text), BYTE_END_ID]).toEqual(inputIds);
      const hidden = await model.encode(text, 2_300);
      const begun = await model.begin(hidden, byteIds(prefix));
      expectClose(begun.next[0]!, logProbabilities);
      const ids: number[] = [];
      const rows = await model.begin(hidden, byteIds(prefix));
      while (ids.length < MAX_TOKENS && ids.at(-1) !== BYTE_END_ID) {
        const best = rows.next[0]!.indexOf(Math.max(...rows.next[0]!));
        ids.push(best);
        await rows.extend([0], [best]);
      }
      expect(untilEnd(ids)).toEqual(untilEnd(greedy));
      for (const [index, lengthPenalty] of LENGTH_PENALTIES.entries()) {
        const options = { beams: BEAMS, lengthPenalty, endId: BYTE_END_ID, maxTokens: MAX_TOKENS };
        const found = await beamSearch(await model.begin(hidden, byteIds(prefix)), options);
        const { sequences, scores, texts } = beams[index]!;
        expect(found.map((one) => one.ids)).toEqual(sequences.map(untilEnd));
        for (const [rank, { sumLogprob, tokens }] of found.entries())
          expect(sumLogprob / tokens ** lengthPenalty).toBeCloseTo(scores[rank]!, 3);
        expect(found.map((one) => prefix + byteText(one.ids))).toEqual(texts);
      }
    }
  });

  it('has answers that end, and answers that are cut, at several lengths', () => {
    const lengths = references.flatMap(({ beams }) =>
      beams.flatMap(({ sequences }) => sequences.map((one) => untilEnd(one).length)),
    );
    expect(lengths).toContain(MAX_TOKENS);
    expect(new Set(lengths).size).toBeGreaterThan(3);
  });

  it('in a process: beams, samples, vectors, and an end at the next token', async () => {
    const engine = await EncoderDecoder.open({ folder: join(directory, 'merged'), threads: 1 });
    const [{ text, prefix }] = [REQUESTS[1]!];
    const request = { input: text, prefix, inputBytesMax: 2_300, maxTokens: MAX_TOKENS };
    const beams = await engine.write({ ...request, search: { kind: 'beam', beams: BEAMS, lengthPenalty: 0 } });
    expect(beams.map((one) => one.text)).toEqual(references[1]!.beams[0]!.texts);
    expectClose(await engine.embed(text, 2_300), references[1]!.embedding);
    const sample = (seeds: readonly number[]) =>
      engine.write({ ...request, search: { kind: 'sample', temperature: 1, seeds } });
    const [together, alone] = [await sample([1, 2, 3]), await sample([2])];
    expect(together[1]!.text).toBe(alone[0]!.text);
    expect(together[1]!.sumLogprob).toBeCloseTo(alone[0]!.sumLogprob, 4);
    const leave = new AbortController();
    const long = engine.write(
      {
        ...request,
        maxTokens: 100_000,
        search: { kind: 'sample', temperature: 1, seeds: Array.from({ length: 64 }, (_, n) => n) },
      },
      leave.signal,
    );
    leave.abort(new Error('left'));
    await expect(long).rejects.toThrow('left');
    // Would wait for a hundred thousand tokens if the other had not ended.
    expect(await sample([2])).toEqual(alone);
    await engine.close();
    await expect(engine.embed('a', 10)).rejects.toThrow('closed');
  });
});
