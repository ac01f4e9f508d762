/** `bin/stp data`: problem sets and SFT sets from elsewhere, and ours for others. */
import { ANSWERS, PUBLIC_SETS } from '@stp/datasets/defaults';
import { type Command, Option } from 'commander';
import { countValue, seedValue, wholeNumber } from '../shared/options.ts';

const DATA_SOURCES = [
  'library',
  'leandojo',
  'leandojo-steps',
  'proofs',
  'words',
  'lean',
  'project',
  ...Object.keys(PUBLIC_SETS),
  'stp-config',
];
export function addDataCommands(program: Command): void {
  const data = program.command('data').description('Prepare problem sets and SFT sets, which runs then take by name.');

  data
    .command('prepare')
    .description(
      'Make a problem set (data.problemSets) or an SFT set (data.sft) from a file or folder, in the folder STP_DATA names.',
    )
    .addOption(new Option('--from <source>', 'source of the set').choices(DATA_SOURCES).makeOptionMandatory())
    .option(
      '--input <path>',
      'dataset file (JSON Lines or a JSON array), dataset configuration, LeanDojo folder, or built Lake project',
    )
    .option('--problems <file>', 'with words: rubrics and solutions of the problems, by their ids')
    .option('--name <set>', 'name of the set; by default made from source and split')
    .option(
      '--split <word>',
      'use rows whose own split has this word: valid, test; for leandojo: random, novel_premises; for lean and project: random (the default), modules, novel-premises',
    )
    .addOption(
      new Option('--as <split>', 'split of all its statements, instead of the split in the rows').choices([
        'train',
        'held-out',
      ]),
    )
    .option('--header-file <file>', 'header of statements that have none')
    .option('--weight <n>', 'matching weight of its statements', wholeNumber('a weight', 1, 10_000))
    .option('--skip-invalid', 'leave out and count rows that are not theorems (always done for the public sets)')
    .addOption(
      new Option(
        '--answers <how>',
        'rows that leave an answer open (PutnamBench): given puts in the answer of their comment (the default), none leaves them out',
      ).choices(ANSWERS),
    )
    .option('--root <dir>', 'with stp-config: folder that its paths are relative to; default: the current one')
    .option('--mathlib <dir>', 'with leandojo: the checkout that LeanDojo traced')
    .option('--with <set>', 'with proofs: the SFT set that they are added to')
    .option('--seed <n>', 'with library, leandojo and proofs: seed of order and held-out choice; default: 0', seedValue)
    .option(
      '--modules <names>',
      'with lean and project: modules to take theorems from, and all below them, with commas',
    )
    .option('--areas <names>', 'with lean and project: areas to take theorems from (List, Nat, …), with commas')
    .option('--names <patterns>', 'with lean and project: theorems to take, with commas; `*` stands for anything')
    .option(
      '--chars-max <n>',
      'with lean and project: longest statement, its name not counted; default: 1000',
      countValue,
    )
    .option('--proofs', "with project: also SFT sets of the proofs in the project's sources, NAME and NAME-steps")
    .option('--export-json <dir>', "with leandojo: write STP's {prompt, target} arrays there too, for other trainers")
    .option('--out <dir>', 'data folder, instead of STP_DATA')
    .option('--replace', 'replace a set that exists')
    .option('--json', 'print counts as JSON')
    .action(async (options) => (await import('../data/data.ts')).prepare(options));

  data
    .command('export')
    .description(
      "Write the library and its traced proofs as a folder in the form of LeanDojo Benchmark 4, or next tactics as llmstep's fine-tuning text.",
    )
    .requiredOption('--to <dir>', 'folder to write')
    .addOption(
      new Option('--as <form>', 'leandojo, or llmstep: lines of [GOAL]…[PROOFSTEP] and tactic')
        .choices(['leandojo', 'llmstep'])
        .default('leandojo'),
    )
    .option('--input <dir>', 'with --as llmstep: a LeanDojo Benchmark 4 folder, instead of the library')
    .option('--split <word>', 'with --as llmstep: random (the default) or novel_premises')
    .option('--seed <n>', 'seed of the splits', seedValue, 0)
    .option('--replace', 'replace a folder that exists')
    .option('--json', 'print counts as JSON')
    .action(async (options) => (await import('../data/data.ts')).exportData(options));
}
