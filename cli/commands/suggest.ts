/** `bin/stp suggest …`: suggestions in the editor. */

import { PROMPT_KINDS, suggestionProcesses } from '@stp/editor/defaults';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { portValue, secondsValue, temperatureValue, wholeNumber } from '../shared/options.ts';

const LLMSTEP_PORT = 6000;
const COPILOT_PORT = 23337;

const several = (text: string, previous: readonly string[]): readonly string[] => [...previous, text];
const temperatures = (text: string, previous: readonly number[] | undefined): readonly number[] => [
  ...(previous ?? []),
  ...text.split(/[\s,]+/u).map(temperatureValue),
];

function lengthPenaltyValue(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= -10 && value <= 10) return value;
  throw new InvalidArgumentError('Give a number between -10 and 10.');
}

/** Reads llmstep's variables. Its Colab client puts a URL there, which is no address to listen on. */
function llmstepAddress(): { host: string; port: number } {
  const { LLMSTEP_HOST = 'localhost', LLMSTEP_PORT: port, LLMSTEP_SERVER } = process.env;
  const host = LLMSTEP_SERVER === 'COLAB' || LLMSTEP_HOST === 'localhost' ? '127.0.0.1' : LLMSTEP_HOST;
  return { host, port: port === undefined ? LLMSTEP_PORT : portOf(port) };
}

function portOf(text: string): number {
  try {
    return portValue(text);
  } catch (error) {
    if (error instanceof InvalidArgumentError) return LLMSTEP_PORT;
    throw error;
  }
}

function engineOptions(command: Command): Command {
  return command
    .option(
      '--model <model>',
      'checkpoint folder, FILE.gguf, Llama folder in Hugging Face form, encoder-decoder folder of optimum, RUN, or OWNER/NAME of the Hugging Face hub; may be repeated',
      several,
      [],
    )
    .option('--hf-model <model>', "the same, under the name that llmstep's servers have for it")
    .option('--fetch', 'download models of the hub that are not on this machine')
    .option('--python <path>', 'with --fetch: Python with huggingface_hub', 'python3')
    .option('--server <url#name>', 'OpenAI-compatible server and the name of its model; may be repeated', several, [])
    .addOption(
      new Option('--prompt <kind>', 'form of the prompts; default: state for --model, llmstep for --server').choices([
        ...PROMPT_KINDS,
      ]),
    )
    .option('--no-portfolio', 'suggest nothing without a model')
    .option(
      '--temperatures <t...>',
      'sampling temperatures; at 0 there is one sample, and of an encoder-decoder a beam search (default: 0.5, encoder-decoders 0)',
      temperatures,
    )
    .option('--num-samples <n>', 'samples at each temperature, or beams', wholeNumber('samples', 1, 256), 10)
    .option(
      '--max-tokens <n>',
      'tokens of a suggestion (default: 128; 512 for encoder-decoders, whose tokens are bytes)',
      wholeNumber('tokens', 1, 4_096),
    )
    .option(
      '--length-penalty <a>',
      'of a beam search: sums of log-probabilities are divided by length^a',
      lengthPenaltyValue,
      0,
    )
    .option('--header <text>', 'Lean text above goals that come without their file, such as "import Mathlib"', '')
    .option(
      '--search <seconds>',
      'time to look for a whole proof beside single tactics',
      wholeNumber('seconds', 0, 600),
      0,
    )
    .option('--check-seconds <s>', "Lean's processor time for one suggestion", secondsValue, 2)
    .option(
      '--answer-seconds <s>',
      "wall time for the checks of one model's suggestions, or of the portfolio's",
      secondsValue,
      2,
    )
    .option('--engine-seconds <s>', 'longest time for a model to answer', secondsValue, 20)
    .option('--heartbeats <n>', 'heartbeats of a declaration', wholeNumber('heartbeats', 1_000, 100_000_000), 200_000)
    .option('--processes <n>', 'Lean processes at once', wholeNumber('processes', 1, 256), suggestionProcesses())
    .option(
      '--memory-mb <n>',
      'memory of one process, MiB; Mathlib needs 8192 or more',
      wholeNumber('memory', 256, 1_048_576),
      3_072,
    )
    .addOption(
      new Option('--sandbox <policy>', 'whether Lean runs in a sandbox')
        .choices(['required', 'where-available', 'off'])
        .default('where-available'),
    )
    .option('--cache <folder>', 'keep answers there too')
    .option('--cache-entries <n>', 'answers that are kept', wholeNumber('answers', 1, 1_000_000), 4_096);
}

export function addSuggestCommands(program: Command): void {
  const suggest = program
    .command('suggest')
    .description('Suggest checked next steps for Lean proofs, in the editor or over HTTP.');
  const address = llmstepAddress();
  engineOptions(suggest.command('serve'))
    .description(
      "Suggest over HTTP, with llmstep's and LeanCopilot's contracts and one of our own; see docs/suggest.md.",
    )
    .option(
      '--host <host>',
      'address to listen on (LLMSTEP_HOST); beyond this machine it requires keys in STP_SUGGEST_KEYS',
      address.host,
    )
    .option(
      '--port <n>',
      'port to listen on (LLMSTEP_PORT); 0 takes a free one',
      wholeNumber('a port', 0, 65_535),
      address.port,
    )
    .option('--copilot-port <n>', "a second port, LeanCopilot's", portValue, COPILOT_PORT)
    .option('--no-copilot', 'no second port')
    .option('--name <name>', 'further name under which LeanCopilot may ask; may be repeated', several, ['stp'])
    .option(
      '--timeout <seconds>',
      'longest time for one request, the search not counted',
      wholeNumber('seconds', 1, 3_600),
      60,
    )
    .option('--max-requests <n>', 'open requests at once; more get 429', wholeNumber('requests', 1, 65_536), 64)
    .option('--no-key', 'serve every client without a key, on any host')
    .option('--with-parent', 'stop when standard input ends')
    .action(async ({ copilot, copilotPort, ...options }) => {
      const all = { ...options, copilotPort: copilot ? copilotPort : false };
      process.exitCode = await (await import('../models/suggest-serve.ts')).serveSuggestions(all);
    });
  suggest
    .command('lsp')
    .description(
      'Stand between an editor and a Lean server: pass everything on, and add code actions that suggest the next step or search for a proof.',
    )
    .argument('[command...]', 'the Lean server (default: lean --server)')
    .option('--url <url>', 'a running `stp suggest serve`; its key is read from STP_SUGGEST_KEY')
    .option('--search-seconds <s>', 'time of the action "Search for a proof"', wholeNumber('seconds', 1, 600), 30)
    .option(
      '--suggest <option>',
      'an option of `suggest serve` for the suggester, such as --suggest=--model=DIR; may be repeated',
      several,
      [],
    )
    .action(async (command, options) => {
      process.exitCode = await (await import('../models/suggest-lsp.ts')).suggestLsp(command, options);
    });
}
