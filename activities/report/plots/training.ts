/** Plots of the trainings' losses and the growth of the library. */
import { COLOURS, renderChart } from '../chart.ts';
import type { RunFigures } from '../figures.ts';
import type { Plot } from '../plot.ts';
import { roundAxis } from './conjectures.ts';

/** Most points of the loss that are drawn; metrics.jsonl has all. */
const LOSS_POINTS_MAX = 400;

/** Plots the number of lemmas in a growing library by round; a fixed library has no plot. */
export async function libraryPlot(runs: readonly RunFigures[]): Promise<Plot | null> {
  if (!runs.some(({ config }) => config.library === 'grow')) return null;
  const values = runs.flatMap(({ run, rounds, config }) =>
    rounds.map(({ round, libraryGrown, proofsWithGrown }) => ({
      line: `${run} (${config.library === 'grow' ? 'grows' : 'fixed'})`,
      run,
      round,
      libraryGrown,
      proofsWithGrown,
    })),
  );
  if (values.length === 0) return null;
  return {
    name: 'library',
    title: 'Library growth',
    caption:
      'Theorems that the run had proved, conjectures and statements of the dataset, when it tried the statements of a round.',
    svg: await renderChart(
      {
        data: { values },
        mark: { type: 'line', strokeWidth: 2, point: { size: 40 } },
        encoding: {
          x: roundAxis(values.map(({ round }) => round)),
          y: {
            field: 'libraryGrown',
            type: 'quantitative',
            title: 'theorems of the run',
            axis: { tickCount: 5, format: '~s' },
          },
          color:
            runs.length === 1
              ? { value: COLOURS.accent }
              : { field: 'line', type: 'nominal', title: null, legend: { columns: 1 } },
        },
      },
      'Theorems added to the library, by round',
    ),
    columns: ['run', 'round', 'theorems_added', 'proofs_that_use_one'],
    rows: values.map(({ run, round, libraryGrown, proofsWithGrown }) => [run, round, libraryGrown, proofsWithGrown]),
  };
}

/** Plots the losses of all trainings, one after the other. Null for fewer than two steps, which make no line. */
export async function lossPlot({ losses }: RunFigures): Promise<Plot | null> {
  if (losses.length < 2) return null;
  const every = Math.ceil(losses.length / LOSS_POINTS_MAX);
  const values = losses
    .map(({ stage, step, loss }, index) => ({ stage, step, loss, total: index, kind: kindOfTraining(stage) }))
    .filter(({ total, loss }) => total % every === 0 && Number.isFinite(loss));
  return {
    name: 'loss',
    title: 'Training loss',
    caption: 'Weighted loss, nats per target token. The trainings follow one another.',
    svg: await renderChart(
      {
        data: { values },
        mark: { type: 'line', strokeWidth: 1.5 },
        encoding: {
          x: {
            field: 'total',
            type: 'quantitative',
            title: 'logged steps of all trainings',
            axis: { format: '~s', tickCount: 5 },
            scale: { nice: false },
          },
          y: { field: 'loss', type: 'quantitative', title: 'loss', axis: { tickCount: 5 } },
          color: { field: 'kind', type: 'nominal', sort: ['SFT', 'rounds', 'retraining'], title: null },
          detail: { field: 'stage' },
        },
      },
      'Training loss over optimizer steps',
    ),
    columns: ['training', 'step', 'loss'],
    rows: values.map(({ stage, step, loss }) => [stage, step, loss]),
  };
}

const kindOfTraining = (stage: string): string =>
  stage.startsWith('sft') ? 'SFT' : stage.startsWith('retrain') ? 'retraining' : 'rounds';
