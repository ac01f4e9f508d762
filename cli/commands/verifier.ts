/** `bin/stp verifier …`: an ensemble of learned verifiers. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { rateValue, seedValue, wholeNumber } from '../shared/options.ts';

export function addVerifierCommands(program: Command): void {
  const verifier = program
    .command('verifier')
    .description('Train models that tell right proofs from wrong ones, and measure them; see docs/rewards.md.');

  const pairOptions = (command: Command): Command =>
    command
      .option('--pairs-per-prompt <n>', 'pairs of one statement or state, at most', wholeNumber('pairs', 1, 10_000), 8)
      .option('--seed <n>', 'seed of every random choice', seedValue, 0);

  pairOptions(verifier.command('pairs'))
    .description(
      "Write pairs of right and wrong from a run's samples and searches as rows {prompt, chosen, rejected}, as TRL reads them.",
    )
    .requiredOption('--run <run>', 'folder, URI or name of a run')
    .requiredOption('--to <file>', 'JSON Lines file to write')
    .action(async (options) => (await import('../models/verifier.ts')).pairs(options));

  pairOptions(verifier.command('train'))
    .description('Train an ensemble by DPO, on the pairs of a run or of a file.')
    .addOption(new Option('--run <run>', 'run whose samples and searches give the pairs').conflicts('pairs'))
    .addOption(new Option('--pairs <file>', 'rows {prompt, chosen, rejected}').conflicts('run'))
    .requiredOption('--model <model>', 'model to start from: RUN, RUN@sft or a checkpoint folder')
    .requiredOption('--to <dir>', 'folder of the ensemble; an unfinished one is continued')
    .option('--members <n>', 'models of the ensemble', wholeNumber('members', 1, 64), 3)
    .option('--beta <x>', "DPO's beta", positiveValue, 0.1)
    .option('--steps <n>', 'optimizer steps of each', wholeNumber('steps', 1, 10_000_000), 200)
    .option('--learning-rate <rate>', 'highest learning rate', rateValue, 3e-4)
    .action(async (options) => {
      if (options.run === undefined && options.pairs === undefined)
        throw new InvalidArgumentError('give --run or --pairs.');
      await (await import('../models/verifier.ts')).train(options);
    });

  verifier
    .command('eval')
    .description(
      "Measure an ensemble on the samples of a run's held-out statements: areas, calibration, disagreement, best of n.",
    )
    .requiredOption('--run <run>', 'run with an evaluation')
    .requiredOption('--verifier <dir>', 'folder that `verifier train` wrote')
    .addOption(new Option('--by <name>', 'how members become one number').choices(['mean', 'minimum']).default('mean'))
    .option('--caution <x>', 'with mean: standard deviations that are subtracted', positiveOrZero, 0)
    .option('--json', 'print the figures as JSON')
    .action(async (options) => (await import('../models/verifier.ts')).measure(options));
}

function positiveValue(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 100) return value;
  throw new InvalidArgumentError('must be a number above 0, at most 100.');
}

function positiveOrZero(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 100) return value;
  throw new InvalidArgumentError('must be a number from 0 to 100.');
}
