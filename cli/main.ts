/** `bin/stp`: the command line. Exit codes: 0 done, 1 the work failed or was rejected, 2 the work could not start. */

import { printableText, StpError } from '@stp/base';
import { EVALUATED_PROVERS, FORMAT_NAMES, presetNames } from '@stp/config';
import { ANSWERS, PUBLIC_SETS } from '@stp/datasets/defaults';
import { Command, CommanderError, Option } from 'commander';
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
  hexPrefix,
  keyValue,
  portValue,
  roundsValue,
  samplesValue,
  secondsValue,
  seedValue,
  temperatureValue,
  wholeNumber,
} from './options.ts';
import { endWithReader } from './output-closed.ts';
import { Stopped } from './stop-signals.ts';

const program = new Command('stp')
  .description(
    'A self-play theorem prover for Lean 4. It finds conjectures, proves them, and uses the proved ones as lemmas. Lean and a second kernel decide what is proved.',
  )
  .version('0.1.0')
  .showHelpAfterError('(add --help for the options)')
  .configureHelp({ showGlobalOptions: true })
  .exitOverride();

function configOptions(command: Command): Command {
  return command
    .addOption(new Option('--preset <name>', `settings to start from: ${presetNames().join(', ')}`).default('embedded'))
    .option('--seed <n>', 'seed of every random choice of the run', seedValue)
    .option('--set <key=value>', 'set one value of the configuration; may be repeated', keyValue)
    .option('--config <file>', 'JSON file with any part of the configuration');
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

runOptions(program.command('selfplay'))
  .description('Run the whole loop on this machine: get Lean and Temporal, start server and workers, show progress.')
  .option('--rounds <n>', 'self-play rounds after the baseline, 1 to 1000', roundsValue)
  .option('--run-dir <dir>', 'folder of the run; an unfinished run there continues')
  .option('--port <n>', 'port of the Temporal server', portValue)
  .option('--ui-port <n>', 'port of the Temporal UI', portValue)
  .option('--stay', 'keep server and UI up after the run, until Ctrl-C')
  .option('--json', 'print the summary as JSON on stdout; progress goes to stderr')
  .action(async (options) => (await import('./selfplay.ts')).selfplay(options));

program
  .command('dev')
  .description(
    'Run Temporal server, UI and workers on this machine, until Ctrl-C; `temporal workflow start stp-selfplay --rounds N` then starts runs.',
  )
  .option('--port <n>', 'port of the Temporal server', portValue)
  .option('--ui-port <n>', 'port of the Temporal UI', portValue)
  .action(async (options) => (await import('./dev.ts')).dev(options));

runOptions(program.command('start'))
  .description(
    'Start a run on the server that TEMPORAL_ADDRESS (or --address) names. `temporal workflow start stp-selfplay` calls this command; its own options pass through.',
  )
  .requiredOption('--rounds <n>', 'self-play rounds after the baseline, 1 to 1000', roundsValue)
  .option('--run <name>', 'name of the run, which is also its folder; the workflow id is stp/NAME')
  .allowUnknownOption()
  .allowExcessArguments()
  .action(async (options, command: Command) => {
    process.exitCode = await (await import('./start.ts')).start(options, command.args);
  });

configOptions(program.command('config'))
  .description('Print the configuration of a run with these options, and where each value comes from. Starts nothing.')
  .option('--rounds <n>', 'self-play rounds after the baseline, 1 to 1000', roundsValue)
  .option('--json', 'one JSON object: config and provenance')
  .action(async (options) => (await import('./config.ts')).config(options));

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
  .action(async (options) => (await import('./plan.ts')).plan(options));

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
  .option('--modules <names>', 'with lean and project: modules to take theorems from, and all below them, with commas')
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
  .action(async (options) => (await import('./data.ts')).prepare(options));

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
  .action(async (options) => (await import('./data.ts')).exportData(options));

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
    process.exitCode = await (await import('./check.ts')).check(paths, options);
  });

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
  .action(async (options) => (await import('./serve.ts')).serve(options));

program
  .command('setup')
  .description('Get Lean and Temporal, compile the library, and print which ones are used and why.')
  .addOption(
    new Option('--with <part>', 'get this part alone: llama-cpp, which samples GGUF files').choices(['llama-cpp']),
  )
  .action(async (options) => (await import('./setup.ts')).setup(options));

program
  .command('doctor')
  .description(
    'Print what this machine has (Lean, Temporal, Python, disk), what a run would use, and why. Removes files and processes of killed commands; changes nothing else.',
  )
  .action(async () => {
    process.exitCode = await (await import('./doctor.ts')).doctor();
  });

program
  .command('report')
  .description(
    'Write the report of a run (finished, running or failed) and compare it with others. Changes nothing in the runs.',
  )
  .argument('<run>', 'folder or URI of the run, or its name')
  .option('--compare <run...>', 'runs to compare it with; runs that differ only in the seed become a mean and a band')
  .option('--out <folder>', 'where report.html and the CSV files go (default: RUN-report, beside the run)')
  .action(async (run, options) => (await import('./report.ts')).report(run, options));

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
    new Option('--prover <mode>', [...EVALUATED_PROVERS].map(([mode, what]) => `${mode}: ${what}`).join('; ')).choices([
      ...EVALUATED_PROVERS.keys(),
    ]),
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
    new Option('--split <split>', 'which statements of the sets').choices(['all', 'train', 'held-out']).default('all'),
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
  .action(async (options) => (await import('./eval.ts')).evaluate(options));

program
  .command('summary')
  .description(
    "Print pass@k of an evaluation log, ours or STP's, as STP's summary.py does; or print the rounds of a run.",
  )
  .option('--log_path <file>', 'generated_proofs_tests.jsonl.gz')
  .option('--split <name>', 'miniF2F, proofnet, putnam or any label; its parts (valid, test) are counted separately')
  .option('--max_iter <n>', 'how many samples of each statement to count; default: all in the log', samplesValue)
  .option('--statements <file>', "the split's statements; default: the list beside the log, or the prepared set")
  .addOption(new Option('--estimator <which>', 'what to print').choices(['block', 'unbiased', 'both']).default('block'))
  .addOption(
    new Option('--short-block <how>', 'a last block with fewer samples: leave it out, or count it as STP does')
      .choices(['drop', 'count'])
      .default('drop'),
  )
  .option('--seed <n>', 'seed of the bootstrap', seedValue, 1)
  .option('--run <run>', 'folder or URI of a run: cumulative pass rate and counts of every round')
  .option('--search-results <files...>', 'published results of best-first search (llmstep): counts and Pass@1')
  .option('--json', 'with --run and --search-results: as JSON')
  .action(async (options) => (await import('./summary.ts')).summary(options));

program
  .command('clean')
  .description(
    'End the Lean and model processes of a run on this machine and remove its scratch files. Touches nothing else.',
  )
  .argument('[run]', 'name of the run, or its folder; default: leftovers of dead workers and commands')
  .action(async (run) => (await import('./clean.ts')).clean(run));

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
    // commander has already printed what is wrong; help and version are not errors
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
