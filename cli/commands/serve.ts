/** `bin/stp serve`: a model over HTTP. */
import type { Command } from 'commander';
import { adaptersValue, portValue, wholeNumber } from '../shared/options.ts';

export function addServeCommand(program: Command): void {
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
    .option(
      '--sequences <n>',
      'for a GGUF file: samples decoded together (default: 4)',
      wholeNumber('sequences', 1, 255),
    )
    .option(
      '--gpu-layers <n>',
      'for a GGUF file: layers on the GPU (default: as many as its memory holds)',
      wholeNumber('layers', 0, 1_024),
    )
    .option('--lora <file[=scale]>', 'for a GGUF file: LoRA adapter, a GGUF file too; may be repeated', adaptersValue)
    .option('--max-requests <n>', 'open requests at once; more get 429', wholeNumber('requests', 1, 65_536), 256)
    .option('--timeout <seconds>', 'longest time for one request', wholeNumber('seconds', 1, 86_400), 600)
    .option('--no-key', 'serve every client without a key, on any host')
    .action(async (options) => (await import('../models/serve.ts')).serve(options));
}
