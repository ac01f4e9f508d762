/**
 * Compares loss and gradient of each objective: those of the embedded and the PyTorch trainer with formulas written
 * separately over transformers in double precision, and with TRL's own DPO loss. Costs about 40 s of CPU where PyTorch
 * is installed.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FlowGroup, ObjectiveConfig } from '@stp/config';
import { objectiveConfigSchema } from '@stp/config/testing';
import {
  KeptLogprobs,
  lossAndGradient,
  objectiveOf,
  parameterView,
  plainEngine,
  readModel,
  SMALL_SHAPE,
  sequenceLogprobs,
  smallCheckpoint,
  stepBatches,
  TrainingSet,
  temporaryDirectory,
  uniformGenerator,
  writeCheckpoint,
  writeSafetensors,
} from '@stp/language-model/testing';
import { expect, it } from 'vitest';
import { runPython, skipsPython } from './python.ts';

/** In value, and in the gradient by every weight; float32 against float64. */
const DIFFERENCE_MAX = 1e-5;

const role = 'prover' as const;
const PROMPTS = ['<prove>(n : Nat) : 0 + n = n<by>', '<prove>(p q : Prop) (h : p ∧ q) : q ∧ p<by>', '<prove>a<by>'];
const TARGETS = ['omega', 'simp [Nat.add_comm]', 'exact ⟨h.2, h.1⟩', 'rfl', 'intro\n  rw [h]', 'done'];

const policyRows = TARGETS.map((target, at) => ({
  prompt: PROMPTS[at % 3]!,
  target,
  weight: 1 + (at % 2),
  role,
  advantage: [1.2, -0.8, 0.4, -1.5, 2, -0.1][at]!,
  logprob: at % 3 === 0 ? null : -20 - at,
}));
const preferenceRows = [0, 1, 2].map((at) => ({
  prompt: PROMPTS[at]!,
  chosen: TARGETS[at]!,
  rejected: TARGETS[at + 3]!,
  weight: 1,
  role,
}));
const state = (at: number, logReward: number, logBackward = 0, stop: string | null = '<stop>') => ({
  prompt: PROMPTS[at % 3]!,
  stop,
  logReward,
  logBackward,
});
const flowRows: readonly FlowGroup[] = [
  {
    group: 'a',
    trajectories: [
      { states: [state(0, -1), state(1, -2), state(2, 0, -0.7, null)], targets: [TARGETS[0]!, TARGETS[1]!] },
      { states: [state(0, -1), state(2, -3)], targets: [TARGETS[2]!] },
    ],
    weight: 1,
    role,
  },
  {
    group: 'b',
    trajectories: [
      { states: [0, 1, 2, 3].map((at) => state(at, -at, at === 2 ? -1.1 : 0)), targets: TARGETS.slice(3, 6) },
    ],
    weight: 2,
    role,
  },
];
/** With rewards as far apart as the preset's: beside the reference nothing else is left, and float32 has its digits for differences. */
const tiltedRows = flowRows.map((row) => ({
  ...row,
  trajectories: row.trajectories.map(({ states, targets }) => ({
    states: states.map((one) => ({ ...one, logReward: 4 * one.logReward })),
    targets,
  })),
}));

const grpo = (values: Record<string, unknown> = {}) => ({ kind: 'grpo', ...values });
const CASES: readonly { readonly name: string; readonly objective: unknown; readonly rows: readonly unknown[] }[] = [
  ...['token-mean', 'seq-mean-token-sum', 'seq-mean-token-mean', 'seq-mean-token-sum-norm'].map((aggregation) => ({
    name: `grpo, ${aggregation}`,
    objective: grpo({ aggregation, lengthNorm: 20 }),
    rows: policyRows,
  })),
  ...['k1', 'k2', 'k3'].map((klEstimator) => ({
    name: `grpo, ${klEstimator}`,
    objective: grpo({ klEstimator, klCoefficient: 0.2, clipLow: 0.05, clipHigh: 0.1, dualClip: 1.1 }),
    rows: policyRows,
  })),
  { name: 'dpo', objective: { kind: 'dpo', beta: 0.3 }, rows: preferenceRows },
  ...['trajectory', 'variance', 'subtrajectory'].map((balance) => ({
    name: `gfn, ${balance}`,
    objective: { kind: 'gfn', balance, lambda: 0.9, prior: 0 },
    rows: flowRows,
  })),
  ...['trajectory', 'variance', 'subtrajectory'].map((balance) => ({
    name: `gfn, ${balance}, tilted reference`,
    objective: { kind: 'gfn', balance, prior: balance === 'variance' ? 0.6 : 1 },
    rows: tiltedRows,
  })),
];

type Answer = Record<'embedded' | 'pytorch', { readonly loss: number; readonly gradient: number }> & {
  readonly loss: number;
  readonly largest: number;
  readonly trl?: { readonly loss: number; readonly gradient: number };
};

it.skipIf(skipsPython('objectives'))('losses and gradients of both trainers', { timeout: 300_000 }, async () => {
  const directory = await temporaryDirectory();
  const models = {
    current: join(directory, 'current'),
    first: join(directory, 'first'),
    reference: join(directory, 'reference'),
  };
  const shape = { ...SMALL_SHAPE, hiddenSize: 48, feedForwardSize: 64 };
  const base = smallCheckpoint(shape);
  // Near one another, so that some ratios are inside the clip and some are not.
  for (const [index, path] of Object.values(models).entries()) {
    const uniform = uniformGenerator(index);
    const moved = [...base.tensors].map(
      ([name, { shape, values }]) =>
        [name, { shape, values: values.map((x) => x * (1 + 0.1 * (uniform() - 0.5))) }] as const,
    );
    await writeCheckpoint(path, { ...base, tensors: new Map(moved) });
  }
  const engine = plainEngine(shape);
  const parametersOf = async (path: string): Promise<Float32Array> => {
    const { tensors } = await readModel(path);
    const flat = new Float32Array(engine.layout.size);
    for (const { name, offset } of engine.layout.entries) flat.set(tensors.get(name)!.values, offset);
    return flat;
  };
  const parameters = await parametersOf(models.current);
  const asked = [];
  for (const [at, { name, objective: config, rows }] of CASES.entries()) {
    const parsed: ObjectiveConfig = objectiveConfigSchema.parse(config);
    const objective = objectiveOf(parsed);
    const { contextLength } = shape;
    const set = new TrainingSet(rows, objective, base.tokenizer, contextLength);
    const variables = new Float32Array(objective.variableCount(set.allNumbers)).map((_, index) => 0.5 * (index + 1));
    const kept = async (which: 'first' | 'reference') =>
      KeptLogprobs.of(engine, await parametersOf(models[which]), set, {
        contextLength,
        directory: null,
        name: which,
        request: '',
      });
    const task = { objective, set, contextLength, first: await kept('first'), reference: await kept('reference') };
    const { batches, evaluated } = await stepBatches(
      task,
      rows.map((_, index) => index),
      variables,
      (sequences) => sequenceLogprobs(engine, parameters, set, sequences, contextLength),
    );
    const { gradient } = await lossAndGradient(engine, parameters, ...batches);
    const gradientPath = join(directory, `gradient-${at}.safetensors`);
    const tensors = engine.layout.entries.map(
      (entry) => [entry.name, { shape: entry.shape, values: parameterView(gradient, entry) }] as const,
    );
    await writeFile(gradientPath, writeSafetensors(new Map(tensors)));
    const recordsPath = join(directory, `records-${at}.jsonl`);
    await writeFile(recordsPath, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const numbers = { loss: evaluated.loss, variables: [...variables] };
    asked.push({ name, objective: parsed, rows, recordsPath, gradientPath, ...numbers });
  }
  await engine.close();
  const answers = (await runPython('objectives.py', {
    models,
    directory,
    contextLength: shape.contextLength,
    cases: asked,
  })) as Record<string, Answer>;
  expect(Object.keys(answers)).toEqual(CASES.map(({ name }) => name));
  for (const [name, { loss, largest, ...sides }] of Object.entries(answers)) {
    expect(Math.abs(loss), name).toBeGreaterThan(1e-3);
    expect(largest, name).toBeGreaterThan(1e-2);
    for (const [side, differences] of Object.entries(sides)) {
      expect(differences.loss, `${name}, ${side}`).toBeLessThan(DIFFERENCE_MAX * Math.max(1, Math.abs(loss)));
      expect(differences.gradient, `${name}, ${side}`).toBeLessThan(DIFFERENCE_MAX * Math.max(1, largest));
    }
  }
  expect(answers.dpo!.trl).toBeDefined();
});
