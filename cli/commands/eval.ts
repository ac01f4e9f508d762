/**
 * `bin/stp eval`: evaluates a model or the scripts on problem sets. `bin/stp summary`: pass@k from an evaluation's
 * log.
 */
import { EVALUATED_PROVERS, FORMAT_NAMES } from '@stp/config';
import { type Command, Option } from 'commander';
import {
  hexPrefix,
  portValue,
  samplesValue,
  secondsValue,
  seedValue,
  temperatureValue,
  wholeNumber,
} from '../shared/options.ts';
import { configOptions } from './config-options.ts';

export function addEvaluationCommands(program: Command): void {
  configOptions(program.command('eval'))
    .description(
      "Evaluate a model on problem sets: samples, proofs checked by Lean, pass@k, STP's log. A killed evaluation continues.",
    )
    .option(
      '--model <model>',
      'checkpoint folder, FILE.gguf, or RUN, RUN@3 (after round 3), RUN@sft, or served:NAME (a model that the servers of STP_GENERATOR_URL list)',
    )
    .requiredOption('--problems <sets>', 'problem sets, separated by commas')
    .option('--samples <n>', 'samples for each statement (default: 32)', samplesValue)
    .addOption(
      new Option(
        '--prover <mode>',
        [...EVALUATED_PROVERS].map(([mode, what]) => `${mode}: ${what}`).join('; '),
      ).choices([...EVALUATED_PROVERS.keys()]),
    )
    .option(
      '--max-expansions <n>',
      'with --prover steps: maximum number of expanded states per statement',
      wholeNumber('expansions', 1, 1_000_000),
    )
    .option(
      '--num-sampled-tactics <n>',
      'with --prover steps: tactics sampled per state',
      wholeNumber('tactics', 1, 1_024),
    )
    .option('--timeout <seconds>', 'with --prover steps: wall time per statement', secondsValue)
    .addOption(
      new Option(
        '--search-like <system>',
        "with --prover steps: the settings of a published search; llmstep's are 100 expanded states, 32 tactics each, 600 s",
      ).choices(['llmstep']),
    )
    .option('--temperature <t>', "sampling temperature; default: the preset's", temperatureValue)
    .addOption(
      new Option(
        '--format <name>',
        "prompt format of the model's family, with the sampling values of its model card (docs/models.md)",
      ).choices([...FORMAT_NAMES, 'custom']),
    )
    .addOption(
      new Option('--split <split>', 'which statements of the sets')
        .choices(['all', 'train', 'held-out'])
        .default('all'),
    )
    .option('--name-filter <hex>', 'only statements for which the MD5 hash of their name begins with this', hexPrefix)
    .option('--num-theorems <n>', 'only this many statements, chosen by hash', wholeNumber('theorems', 1, 10_000_000))
    .option(
      '--library <run>',
      'lemmas that a run has grown, for proofs to use; a run in the same folder as the evaluation',
    )
    .option('--run-dir <dir>', 'folder of the evaluation; an unfinished one there continues')
    .option('--port <n>', 'port of the Temporal server', portValue)
    .option('--ui-port <n>', 'port of the Temporal UI', portValue)
    .option('--json', 'print evaluation.json on stdout; progress goes to stderr')
    .action(async (options) => (await import('../run/eval.ts')).evaluate(options));

  program
    .command('summary')
    .description(
      "Print pass@k of an evaluation log, ours or STP's, as STP's summary.py does; or print the rounds of a run.",
    )
    .option('--log_path <file>', 'generated_proofs_tests.jsonl.gz')
    .option('--split <name>', 'miniF2F, proofnet, putnam or any label; its parts (valid, test) are counted separately')
    .option('--max_iter <n>', 'how many samples of each statement to count; default: all in the log', samplesValue)
    .option('--statements <file>', "the split's statements; default: the list beside the log, or the prepared set")
    .addOption(
      new Option('--estimator <which>', 'what to print').choices(['block', 'unbiased', 'both']).default('block'),
    )
    .addOption(
      new Option('--short-block <how>', 'a last block with fewer samples: leave it out, or count it as STP does')
        .choices(['drop', 'count'])
        .default('drop'),
    )
    .option('--seed <n>', 'seed of the bootstrap', seedValue, 1)
    .option('--run <run>', 'folder or URI of a run: cumulative pass rate and counts of every round')
    .option('--search-results <files...>', 'published results of best-first search (llmstep): counts and Pass@1')
    .option('--json', 'with --run and --search-results: as JSON')
    .action(async (options) => (await import('../run/summary.ts')).summary(options));
}
