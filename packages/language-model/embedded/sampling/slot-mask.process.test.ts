/**
 * Slots in the embedded engine: one token each if the examples have any, and no slot that the prompt does not contain.
 */

import { PROMPT_MARKERS, SLOT_TOKENS } from '@stp/config/words';
import { describe, expect, it } from 'vitest';
import { LEAN_TEXTS, SMALL_SHAPE, smallModel } from '../../testing/small-checkpoint.ts';
import { markersOf } from '../../tokenizer/special-tokens.ts';
import { trainTokenizer } from '../../tokenizer/train.ts';
import { Sampler } from './sampler.ts';
import { SlotMask } from './slot-mask.ts';

const PROMPT = '<defs><all>\n<f0>:Nat→Nat<prove>(<n0> : Nat) :<f0><n0> =<n0><by>';
const SLOTTED = [...LEAN_TEXTS, PROMPT];

describe('a tokenizer of texts with slots', () => {
  const tokenizer = trainTokenizer(SLOTTED, { vocabularySize: 400, specialTokens: markersOf(SLOTTED) });

  it('has a token for every slot, used or not, and none where no text has slots', () => {
    expect(SLOT_TOKENS.filter((slot) => tokenizer.encode(slot).length !== 1)).toEqual([]);
    expect(markersOf(LEAN_TEXTS)).toEqual(PROMPT_MARKERS);
  });

  it('gives back the text', () => {
    expect(tokenizer.decode(tokenizer.encode(PROMPT))).toBe(PROMPT);
  });

  it('forbids what the prompt does not hold', () => {
    const masked = new SlotMask(tokenizer).maskedFor(tokenizer.encode(PROMPT));
    const free = SLOT_TOKENS.filter((slot) => !masked.includes(tokenizer.idOf(slot)));
    expect(free).toEqual(['<all>', '<n0>', '<f0>']);
  });
});

it('a model that has learnt nothing still writes only slots of its prompt', async () => {
  const vocabularySize = 400;
  const tokenizer = trainTokenizer(SLOTTED, { vocabularySize, specialTokens: markersOf(SLOTTED) });
  const model = { ...smallModel({ ...SMALL_SHAPE, vocabularySize }), tokenizer };
  const sampler = await Sampler.open(model, 8);
  const sampling = { temperature: 2, topP: 1, maxTokens: 24 };
  const plain = '<prove>(n : Nat) : n = n<by>';
  sampler.add({ prompt: PROMPT, sampling, samples: Array.from({ length: 16 }, (_, key) => ({ key, seed: key })) });
  sampler.add({
    prompt: plain,
    sampling,
    samples: Array.from({ length: 16 }, (_, key) => ({ key: 100 + key, seed: key })),
  });
  const texts = new Map<number, string>();
  while (!sampler.idle) for (const { key, text } of (await sampler.step()).ended) texts.set(key, text);
  await sampler.close();
  const slotsIn = (isOurs: (key: number) => boolean) =>
    new Set(
      [...texts].flatMap(([key, text]) => (isOurs(key) ? SLOT_TOKENS.filter((slot) => text.includes(slot)) : [])),
    );
  const own = slotsIn((key) => key < 100);
  expect(own.size).toBeGreaterThan(0);
  expect([...own].filter((slot) => !PROMPT.includes(slot))).toEqual([]);
  expect(slotsIn((key) => key >= 100)).toEqual(new Set());
});
