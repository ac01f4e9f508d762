/**
 * Measures training: tokens per processor-second of the embedded trainer, of plain PyTorch written by hand and of the
 * PyTorch trainer (transformers), on the same weights, the same packed micro-batches and the same optimizer,
 * alternately, one thread each. Losses are compared, to ensure that all do the same work.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveConfig } from '@stp/config';
import type { Example } from '@stp/config/records';
import {
  DATA_START,
  exampleSteps,
  freshState,
  initialParameters,
  likelihood,
  MODEL_SIZES,
  type ModelShape,
  type Objective,
  parameterLayout,
  parameterView,
  type StepPlan,
  stepBatches,
  TrainingEngine,
  TrainingSet,
  trainTokenizer,
  writeSafetensors,
} from '@stp/language-model/testing';
import { skipsPython } from '../../test/python/python.ts';
import { stepsAsJson } from '../../test/python/step-json.ts';
import { cpuSeconds, median, row } from './measure.ts';
import { startPython } from './python-worker.ts';

const ROUNDS = 5;
const TOKENS_PER_STEP = 1024;
const RECIPE = { weightDecay: 0.01, gradientClipNorm: 1 };
const LEARNING_RATE = 1e-3;
/** Largest relative difference of the two sides' losses that rounding explains after some dozen steps. */
const LOSS_DIFFERENCE_MAX = 1e-3;

interface Round {
  readonly plans: readonly StepPlan[];
  readonly tokens: number;
}

/** Makes rounds of `steps` optimizer steps each over real examples; the first one is a warm-up. */
async function roundsOf(shape: ModelShape, examples: readonly Example[], steps: number): Promise<Round[]> {
  const texts = examples.flatMap(({ prompt, target }) => [prompt, target]);
  const tokenizer = trainTokenizer(texts, { vocabularySize: shape.vocabularySize });
  const objective = likelihood as Objective;
  const { contextLength } = shape;
  const set = new TrainingSet(examples, objective, tokenizer, contextLength);
  const task = { objective, set, contextLength, first: null, reference: null };
  const source = exampleSteps(set, TOKENS_PER_STEP, 1, DATA_START);
  const rounds: Round[] = [];
  let step = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    let tokens = 0;
    const plans: StepPlan[] = [];
    for (let index = 0; index < steps; index += 1) {
      step += 1;
      const { indices } = source.next().value;
      tokens += indices.reduce((total, index) => total + set.length(index), 0);
      const { batches } = await stepBatches(task, indices, new Float32Array(0), async () => []);
      plans.push({ step, learningRate: LEARNING_RATE, batches });
    }
    rounds.push({ plans, tokens });
  }
  return rounds;
}

/** Trainers that the embedded engine is compared with, and their scripts. */
const OTHERS = { PyTorch: 'bench_training.py', 'PyTorch trainer': 'bench_trainer.py' } as const;

async function compareWithPyTorch(
  directory: string,
  name: string,
  shape: ModelShape,
  rounds: readonly Round[],
): Promise<void> {
  const state = freshState(initialParameters(shape, 1));
  const weights = join(directory, `training-${name}.safetensors`);
  const tensors = parameterLayout(shape).entries.map(
    (entry) => [entry.name, { shape: entry.shape, values: parameterView(state.parameters, entry) }] as const,
  );
  await writeFile(weights, writeSafetensors(new Map(tensors)));
  const others = skipsPython('the columns of PyTorch')
    ? []
    : Object.entries(OTHERS).map(([who, script]) => ({ who, python: startPython(script), rates: [] as number[] }));
  const engine = new TrainingEngine({ shape, threads: 1, ...RECIPE });
  const ours: number[] = [];
  for (const [index, round] of rounds.entries()) {
    const started = cpuSeconds();
    const results = await engine.train(state, round.plans);
    if (index > 0) ours.push(round.tokens / (cpuSeconds() - started));
    for (const { who, python, rates } of others) {
      const answer = (await python.ask({ shape, weights, ...RECIPE, steps: stepsAsJson(round.plans) })) as {
        losses: number[];
        cpuSeconds: number;
      };
      if (index > 0) rates.push(round.tokens / answer.cpuSeconds);
      results.forEach(({ step, loss }, index) => {
        const other = answer.losses[index]!;
        if (!(Math.abs(loss - other) <= LOSS_DIFFERENCE_MAX * other))
          throw new Error(`step ${step}: loss ${loss}, ${who} has ${other}: not the same work`);
      });
    }
  }
  await engine.close();
  row(`${name}, training: ours`, median(ours), 'tokens/cpu-s');
  for (const { who, python, rates } of others) {
    python.close();
    row(`${name}, training: ${who}`, median(rates), 'tokens/cpu-s');
    row(`${name}, training: ours / ${who}`, median(ours.map((rate, at) => rate / rates[at]!)), '×', 2);
  }
}

/** @param examples training data of the presets; their lengths decide the share of attention */
export async function benchTraining(directory: string, examples: readonly Example[]): Promise<void> {
  const { model } = resolveConfig({ preset: 'embedded' });
  await compareWithPyTorch(directory, 'embedded preset', model, await roundsOf(model, examples, 8));
  await compareWithPyTorch(directory, '3M', MODEL_SIZES['3M'], await roundsOf(MODEL_SIZES['3M'], examples, 4));
  await compareWithPyTorch(directory, '15M', MODEL_SIZES['15M'], await roundsOf(MODEL_SIZES['15M'], examples, 2));
}
