/** `bin/stp retrieve …`: premises for proof states. */

import { TERM_SCORINGS } from '@stp/selfplay/defaults';
import { type Command, Option } from 'commander';
import { rateValue, seedValue, wholeNumber } from '../shared/options.ts';

export function addRetrieveCommands(program: Command): void {
  const retrieve = program
    .command('retrieve')
    .description('Find premises for proof states in a library of LeanDojo Benchmark 4’s form; see docs/retrieval.md.');

  retrieve
    .command('index')
    .description('Index the premises of a corpus.jsonl. Prints counts.')
    .requiredOption('--corpus-path <file>', 'corpus.jsonl of LeanDojo Benchmark 4, or of `bin/stp data export`')
    .requiredOption('--output-path <dir>', 'folder that becomes the index')
    .option('--ckpt-path <dir>', 'checkpoint of an encoder: the index then has vectors of the premises too')
    .option('--replace', 'replace an index that exists')
    .option('--json', 'print counts as JSON')
    .action(async (options) => (await import('../data/retrieve.ts')).index(options));

  retrieve
    .command('train')
    .description('Train a checkpoint as an encoder of proof states and premises, on the tactics that name premises.')
    .requiredOption('--ckpt-path <dir>', 'checkpoint to start from')
    .requiredOption('--corpus-path <file>', 'corpus.jsonl')
    .requiredOption('--data-path <dir>', 'folder of the split; its train.json is read')
    .requiredOption('--output-path <dir>', 'checkpoint folder to write')
    .option('--steps <n>', 'optimizer steps', wholeNumber('steps', 1, 10_000_000), 400)
    .option('--batch-size <n>', 'pairs in a step', wholeNumber('pairs', 2, 4_096), 32)
    .option('--learning-rate <rate>', 'highest learning rate', rateValue, 1e-3)
    .option('--seed <n>', 'seed of the order of the pairs', seedValue, 0)
    .action(async (options) => (await import('../data/retrieve.ts')).train(options));

  retrieve
    .command('eval')
    .description('Measure retrieval (R@1, R@10, MRR) on the tactics of a split file that name premises.')
    .requiredOption('--index <dir>', 'folder that `retrieve index` made from the same corpus')
    .requiredOption('--data-path <dir>', 'folder of the split: with train.json, val.json and test.json')
    .addOption(new Option('--split <part>', 'part of the split').choices(['train', 'val', 'test']).default('val'))
    .addOption(
      new Option('--method <name>', 'how premises are scored').choices([...TERM_SCORINGS, 'learned']).default('bm25'),
    )
    .option('--ckpt-path <dir>', 'with --method learned: checkpoint of the encoder that made the index')
    .option('--json', 'print the figures as JSON')
    .action(async (options) => (await import('../data/retrieve.ts')).evaluate(options));
}
