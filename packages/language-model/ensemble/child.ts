/**
 * Entry of a process with an ensemble. It scores targets: log-probabilities under the reference and under each
 * member.
 */
import { join } from 'node:path';
import { readModel } from '../checkpoint/model-folder.ts';
import type { Objective, Sequence } from '../embedded/objectives/objective.ts';
import { serve } from '../embedded/process/serve.ts';
import { flatParameters } from '../embedded/training/parameter-layout.ts';
import { sequenceLogprobs } from '../embedded/training/sequence-logprobs.ts';
import { TrainingEngine } from '../embedded/training/training-engine.ts';
import { TrainingSet } from '../embedded/training/training-set.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { ModelShape } from '../trainer.ts';
import { readEnsemble } from './folder.ts';

export interface ScoreRequest {
  readonly id: number;
  readonly directory: string;
  readonly threads: number;
  readonly targets: readonly Sequence[];
}
export interface ScoreMessage {
  readonly type: 'scored';
  readonly id: number;
  /** For each target, a reward from each member; null if prompt and target exceed the context. */
  readonly rewards: readonly (readonly number[] | null)[];
}

interface Ensemble {
  readonly engine: TrainingEngine;
  readonly tokenizer: Tokenizer;
  readonly shape: ModelShape;
  readonly beta: number;
  /** Weights of the reference, then of the members. */
  readonly weights: readonly Float32Array[];
}

let opened: Promise<Ensemble> | null = null;

serve<ScoreRequest, ScoreMessage>(async ({ id, directory, threads, targets }, post) => {
  opened ??= open(directory, threads);
  await post({ type: 'scored', id, rewards: await rewardsOf(await opened, targets) });
});

async function open(directory: string, threads: number): Promise<Ensemble> {
  const { reference, members, beta } = await readEnsemble(directory);
  const { shape, constants, tokenizer } = await readModel(join(directory, reference));
  const engine = new TrainingEngine({ shape, constants, threads, weightDecay: 0, gradientClipNorm: 0 });
  const weights: Float32Array[] = [];
  for (const folder of [reference, ...members])
    weights.push(flatParameters(engine.layout, (await readModel(join(directory, folder))).tensors));
  return { engine, tokenizer, shape, beta, weights };
}

/** Treats each target as a record with one sequence. */
const oneEach: Pick<Objective<Sequence, null>, 'sequences' | 'numbers'> = {
  sequences: (target) => [target],
  numbers: () => null,
};

async function rewardsOf(
  { engine, tokenizer, shape, beta, weights }: Ensemble,
  targets: readonly Sequence[],
): Promise<(number[] | null)[]> {
  const fits = ({ prompt, target }: Sequence): boolean =>
    tokenizer.encode(prompt).length + tokenizer.encode(target).length < shape.contextLength;
  const fitting = targets.filter(fits);
  const set = new TrainingSet(fitting, oneEach as Objective, tokenizer, shape.contextLength);
  const all = fitting.map((_, at) => at);
  const totals: number[][] = [];
  for (const parameters of weights) {
    const scored = await sequenceLogprobs(engine, parameters, set, all, shape.contextLength);
    totals.push(scored.map((own) => own.reduce((sum, value) => sum + value, 0)));
  }
  const [reference, ...members] = totals;
  let next = 0;
  return targets.map((target) => {
    if (!fits(target)) return null;
    const at = next++;
    return members.map((member) => beta * (member[at]! - reference![at]!));
  });
}
