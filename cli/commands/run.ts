/** `bin/stp selfplay`, `dev`, `start`, `config` and `plan`: runs, and what they would be. */
import { type Command, Option } from 'commander';
import { amountValue, countValue, fromRoundValue, portValue, roundsValue } from '../shared/options.ts';
import { configOptions } from './config-options.ts';

export function addRunCommands(program: Command): void {
  runOptions(program.command('selfplay'))
    .description('Run the whole loop on this machine: get Lean and Temporal, start server and workers, show progress.')
    .option('--rounds <n>', 'self-play rounds after the baseline, 1 to 1000', roundsValue)
    .option('--run-dir <dir>', 'folder of the run; an unfinished run there continues')
    .option('--port <n>', 'port of the Temporal server', portValue)
    .option('--ui-port <n>', 'port of the Temporal UI', portValue)
    .option('--stay', 'keep server and UI up after the run, until Ctrl-C')
    .option('--json', 'print the summary as JSON on stdout; progress goes to stderr')
    .action(async (options) => (await import('../run/selfplay.ts')).selfplay(options));

  program
    .command('dev')
    .description(
      'Run Temporal server, UI and workers on this machine, until Ctrl-C; `temporal workflow start stp-selfplay --rounds N` then starts runs.',
    )
    .option('--port <n>', 'port of the Temporal server', portValue)
    .option('--ui-port <n>', 'port of the Temporal UI', portValue)
    .action(async (options) => (await import('../run/dev.ts')).dev(options));

  runOptions(program.command('start'))
    .description(
      'Start a run on the server that TEMPORAL_ADDRESS (or --address) names. `temporal workflow start stp-selfplay` calls this command; its own options pass through.',
    )
    .requiredOption('--rounds <n>', 'self-play rounds after the baseline, 1 to 1000', roundsValue)
    .option('--run <name>', 'name of the run, which is also its folder; the workflow id is stp/NAME')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (options, command: Command) => {
      process.exitCode = await (await import('../run/start.ts')).start(options, command.args);
    });

  configOptions(program.command('config'))
    .description(
      'Print the configuration of a run with these options, and where each value comes from. Starts nothing.',
    )
    .option('--rounds <n>', 'self-play rounds after the baseline, 1 to 1000', roundsValue)
    .option('--json', 'one JSON object: config and provenance')
    .action(async (options) => (await import('../run/config.ts')).config(options));

  configOptions(program.command('plan'))
    .description(
      'Estimate a run of an open prover on GPUs: memory by part, tokens and proofs an hour, cores for Lean, hours and cost of a round. Starts nothing.',
    )
    .option('--gpu <name>', 'the GPUs: l4, rtx-4090, a100-40, l40s, a100-80, h100, h200', 'h100')
    .option('--gpus <n>', 'how many', countValue, 8)
    .addOption(
      new Option('--training <kind>', "all weights, or an adapter; default: the configuration's").choices([
        'full',
        'lora',
      ]),
    )
    .option('--rank <n>', "rank of the adapter; default: the configuration's", countValue)
    .option('--statements <n>', 'statements of a round; default: about those of LeanWorkbook', countValue, 89_000)
    .option('--answer-tokens <n>', "mean length of an answer; default: the prompt format's", countValue)
    .option('--check-seconds <s>', 'core time of one check by Lean', amountValue, 4)
    .option('--price <p>', 'price of one GPU for an hour', amountValue)
    .option('--model <file.gguf>', 'estimate instead the memory that llama.cpp takes to sample this file')
    .option(
      '--context-length <n>',
      "with --model: prompt and answer together, tokens (default: the model's, at most 4096)",
      countValue,
    )
    .option('--sequences <n>', 'with --model: samples decoded together (default: 4)', countValue)
    .option('--json', 'one JSON object')
    .action(async (options) => (await import('../run/plan.ts')).plan(options));
}

function runOptions(command: Command): Command {
  return configOptions(command)
    .option('--init-from <run>', 'start from the state of another run: its name (in the same store), folder or URI')
    .option(
      '--from-round <n>',
      'with --init-from: last round to take over, or "sft"; default: all rounds',
      fromRoundValue,
    );
}
