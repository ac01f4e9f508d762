/** A small model for tests: a tokenizer trained on a few Lean texts and random weights large enough to have opinions. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { type LlamaConstants, OWN_CONSTANTS } from '../checkpoint/llama-tensors.ts';
import { untrained } from '../checkpoint/training-record.ts';
import { uniformAt } from '../embedded/sampling/philox.ts';
import type { SampledModel } from '../embedded/sampling/sampler.ts';
import { initialParameters } from '../embedded/training/initial-parameters.ts';
import { parameterLayout, parameterView } from '../embedded/training/parameter-layout.ts';
import { trainTokenizer } from '../tokenizer/train.ts';
import type { ModelShape } from '../trainer.ts';

export const LEAN_TEXTS: readonly string[] = [
  '<prove>(n : Nat) : 0 + n = n<by>induction n with\n| zero => rfl\n| succ n ih => rw [← Nat.add_assoc, ih]',
  '<prove>(a b c : Nat) : a + b + c = a + (b + c)<by>rw [Nat.add_assoc]',
  '<prove>(p q : Prop) (h : p ∧ q) : q ∧ p<by>exact ⟨h.2, h.1⟩\n',
  '<prove>(xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length<by>simp [Nat.add_comm]',
  "<prove>{α : Type} (f : α → α) (h' : ∀ x, f x = x) (x : α) : f (f x) = x<by>intro\n  rw [h', h']\n  done",
  '<prove>(h₁ : 12 ≤ n) (h₂ : n < 345) : n ≠ 6789<by>omega',
];

/** Prompts as the prover gets them. */
export const PROMPTS = LEAN_TEXTS.map((text) => text.slice(0, text.indexOf('<by>') + 4));

/** Grouped-query attention with a group of 3, as the presets have; small enough to run in milliseconds. */
export const SMALL_SHAPE: ModelShape = {
  hiddenSize: 96,
  layers: 2,
  heads: 6,
  keyValueHeads: 2,
  feedForwardSize: 160,
  vocabularySize: 320,
  contextLength: 160,
};

/** How much larger than fresh the weights are: enough for distributions that are neither flat nor certain, and no more, since
 * rounding errors grow with it. */
const WEIGHT_FACTOR = 2;

export function smallCheckpoint(shape: ModelShape = SMALL_SHAPE, seed = 7): Checkpoint {
  const tokenizer = trainTokenizer(LEAN_TEXTS, { vocabularySize: shape.vocabularySize });
  const layout = parameterLayout(shape);
  const flat = initialParameters(shape, seed);
  const tensors = new Map(
    layout.entries.map((entry) => {
      const norm = entry.shape.length === 1;
      // Norm gains differ from one so that a forgotten gain shows.
      const values = parameterView(flat, entry).map((value, index) =>
        norm ? 0.5 + uniformAt(seed, entry.offset + index) : WEIGHT_FACTOR * value,
      );
      return [entry.name, { shape: entry.shape, values }];
    }),
  );
  return {
    shape,
    tensors,
    tokenizer,
    proofWords: null,
    training: untrained(seed),
  };
}

/** The same as it is sampled from; other constants where a test wants them. */
export function smallModel(shape: ModelShape = SMALL_SHAPE, constants: LlamaConstants = OWN_CONSTANTS): SampledModel {
  return { ...smallCheckpoint(shape), constants };
}

/** A folder that is removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'stp-model-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
