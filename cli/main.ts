/**
 * `bin/stp`: the command line. Exit codes: 0 success, 1 the work failed or was rejected, 2 the work could not start.
 */

import { printableText, StpError } from '@stp/base';
import { Command, CommanderError, Option } from 'commander';
import { configOptions } from './commands/config-options.ts';
import { addDataCommands } from './commands/data.ts';
import { addEvaluationCommands } from './commands/eval.ts';
import { addJudgeCommands } from './commands/judge.ts';
import { addKernelCommand } from './commands/kernel.ts';
import { addLeanCommands } from './commands/lean.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addNodesCommands } from './commands/nodes.ts';
import { addRetrieveCommands } from './commands/retrieve.ts';
import { addSuggestCommands } from './commands/suggest.ts';
import { addVerifierCommands } from './commands/verifier.ts';
import { addVerifyCommand } from './commands/verify.ts';
import { addWeightsCommands } from './commands/weights.ts';
import {
  adaptersValue,
  amountValue,
  countValue,
  fromRoundValue,
  portValue,
  roundsValue,
  secondsValue,
  wholeNumber,
} from './shared/options.ts';
import { endWithReader } from './shared/output-closed.ts';
import { Stopped } from './shared/stop-signals.ts';

const program = new Command('stp')
  .description(
    'A self-play theorem prover for Lean 4. It finds conjectures, proves them, and uses the proved ones as lemmas. Lean and a second kernel decide what is proved.',
  )
  .version('0.1.0')
  .showHelpAfterError('(add --help for the options)')
  .configureHelp({ showGlobalOptions: true })
  .exitOverride();

function runOptions(command: Command): Command {
  return configOptions(command)
    .option('--init-from <run>', 'start from the state of another run: its name (in the same store), folder or URI')
    .option(
      '--from-round <n>',
      'with --init-from: last round to take over, or "sft"; default: all rounds',
      fromRoundValue,
    );
}

runOptions(program.command('selfplay'))
  .description('Run the whole loop on this machine: get Lean and Temporal, start server and workers, show progress.')
  .option('--rounds <n>', 'self-play rounds after the baseline, 1 to 1000', roundsValue)
  .option('--run-dir <dir>', 'folder of the run; an unfinished run there continues')
  .option('--port <n>', 'port of the Temporal server', portValue)
  .option('--ui-port <n>', 'port of the Temporal UI', portValue)
  .option('--stay', 'keep server and UI up after the run, until Ctrl-C')
  .option('--json', 'print the summary as JSON on stdout; progress goes to stderr')
  .action(async (options) => (await import('./run/selfplay.ts')).selfplay(options));

program
  .command('dev')
  .description(
    'Run Temporal server, UI and workers on this machine, until Ctrl-C; `temporal workflow start stp-selfplay --rounds N` then starts runs.',
  )
  .option('--port <n>', 'port of the Temporal server', portValue)
  .option('--ui-port <n>', 'port of the Temporal UI', portValue)
  .action(async (options) => (await import('./run/dev.ts')).dev(options));

runOptions(program.command('start'))
  .description(
    'Start a run on the server that TEMPORAL_ADDRESS (or --address) names. `temporal workflow start stp-selfplay` calls this command; its own options pass through.',
  )
  .requiredOption('--rounds <n>', 'self-play rounds after the baseline, 1 to 1000', roundsValue)
  .option('--run <name>', 'name of the run, which is also its folder; the workflow id is stp/NAME')
  .allowUnknownOption()
  .allowExcessArguments()
  .action(async (options, command: Command) => {
    process.exitCode = await (await import('./run/start.ts')).start(options, command.args);
  });

configOptions(program.command('config'))
  .description('Print the configuration of a run with these options, and where each value comes from. Starts nothing.')
  .option('--rounds <n>', 'self-play rounds after the baseline, 1 to 1000', roundsValue)
  .option('--json', 'one JSON object: config and provenance')
  .action(async (options) => (await import('./run/config.ts')).config(options));

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
  .action(async (options) => (await import('./run/plan.ts')).plan(options));

program
  .command('check')
  .description(
    'Check every theorem of Lean files. Exit 0: all files accepted; 1: some rejected; 2: none rejected, some not checked.',
  )
  .argument('<paths...>', 'Lean files, or folders: every .lean file below them, but not .lake and links that lead out')
  .option(
    '--timeout <seconds>',
    'wall time for the whole command, 1 to 86400; then Lean is ended, and the remaining files are not checked',
    secondsValue,
    300,
  )
  .option(
    '--json',
    'one JSON object per theorem (file, name, verdict, line, column, message, axioms, meaning), then one per file (file, outcome, reason, theorems, declarations, notes, checks, sandbox)',
  )
  .option(
    '--strict',
    'exit 1 also for a statement that could deceive a reader: it rests on names, instances, hypotheses or notation that it does not show',
  )
  .addOption(
    new Option('--sandbox <policy>', 'whether Lean runs in a sandbox while it reads the files')
      .choices(['required', 'where-available', 'off'])
      .default('where-available'),
  )
  .action(async (paths, options) => {
    process.exitCode = await (await import('./verify/check.ts')).check(paths, options);
  });

addDataCommands(program);
addEvaluationCommands(program);
addVerifyCommand(program);
addMcpCommand(program);
addJudgeCommands(program);
addWeightsCommands(program);

program
  .command('serve')
  .description('Serve a checkpoint over HTTP as OpenAI-compatible servers do, until Ctrl-C; see docs/serve.md.')
  .requiredOption('--model <model>', 'checkpoint folder, FILE.gguf, or the name of fetched weights (docs/models.md)')
  .option(
    '--name <name>',
    'name of the model in requests; the hash of its weights always works too (default: the folder)',
  )
  .option(
    '--host <host>',
    'address to listen on; addresses beyond this machine require keys in STP_SERVE_KEYS',
    '127.0.0.1',
  )
  .option('--port <n>', 'port to listen on', portValue, 8000)
  .option(
    '--threads <n>',
    'sampling processes, one thread each; a GGUF file is sampled by one process with <n> threads',
    wholeNumber('threads', 1, 256),
    1,
  )
  .option(
    '--context-length <n>',
    "for a GGUF file: prompt and answer together, tokens (default: the model's, at most 4096)",
    wholeNumber('tokens', 2, 1_048_576),
  )
  .option('--sequences <n>', 'for a GGUF file: samples decoded together (default: 4)', wholeNumber('sequences', 1, 255))
  .option(
    '--gpu-layers <n>',
    'for a GGUF file: layers on the GPU (default: as many as its memory holds)',
    wholeNumber('layers', 0, 1_024),
  )
  .option('--lora <file[=scale]>', 'for a GGUF file: LoRA adapter, a GGUF file too; may be repeated', adaptersValue)
  .option('--max-requests <n>', 'open requests at once; more get 429', wholeNumber('requests', 1, 65_536), 256)
  .option('--timeout <seconds>', 'longest time for one request', wholeNumber('seconds', 1, 86_400), 600)
  .option('--no-key', 'serve every client without a key, on any host')
  .action(async (options) => (await import('./models/serve.ts')).serve(options));

program
  .command('setup')
  .description('Get Lean and Temporal, compile the library, and print which ones are used and why.')
  .addOption(
    new Option('--with <part>', 'get this part alone: llama-cpp, which samples GGUF files').choices(['llama-cpp']),
  )
  .action(async (options) => (await import('./run/setup.ts')).setup(options));

program
  .command('doctor')
  .description(
    'Print what this machine has (Lean, Temporal, engines, fetched weights, disk), what a run would use, and why. Removes files and processes of killed commands; changes nothing else.',
  )
  .option('--python <path>', "the trainer's Python (engines.trainer.python)", 'python3')
  .action(async (options) => {
    process.exitCode = await (await import('./run/doctor.ts')).doctor(options);
  });

program
  .command('report')
  .description(
    'Write the report of a run (finished, running or failed) and compare it with others. Changes nothing in the runs.',
  )
  .argument('<run>', 'folder or URI of the run, or its name')
  .option('--compare <run...>', 'runs to compare it with; runs that differ only in the seed become a mean and a band')
  .option('--out <folder>', 'where report.html and the CSV files go (default: RUN-report, beside the run)')
  .action(async (run, options) => (await import('./run/report.ts')).report(run, options));

program
  .command('clean')
  .description(
    'End the Lean and model processes of a run on this machine and remove its scratch files. Touches nothing else.',
  )
  .argument('[run]', 'name of the run, or its folder; default: leftovers of dead workers and commands')
  .action(async (run) => (await import('./run/clean.ts')).clean(run));

addLeanCommands(program);
addNodesCommands(program);
addKernelCommand(program);
addRetrieveCommands(program);
addVerifierCommands(program);
addSuggestCommands(program);

endWithReader();

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // commander has already printed the problem; help and version are not errors
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else if (error instanceof StpError) {
    console.error(printableText(error.toText()));
    process.exitCode = error.code === 'STP1001' || error.code === 'STP1002' || error.code === 'STP1102' ? 2 : 1;
  } else if (error instanceof Stopped) {
    console.error(error.message);
    process.exitCode = error.exitCode;
  } else {
    console.error(error);
    process.exitCode = 1;
  }
}
