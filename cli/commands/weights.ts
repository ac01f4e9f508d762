/** `bin/stp weights …`: models from elsewhere. */
import { type Command, Option } from 'commander';

export function addWeightsCommands(program: Command): void {
  const weights = program.command('weights').description('Show and download models from which a training can start.');
  const python = () => new Option('--python <path>', 'Python with huggingface_hub').default('python3');
  weights
    .command('show')
    .description('Print licence, size and commit of a model on the Hugging Face hub. Downloads no weights.')
    .argument('<name>', 'hf://OWNER/NAME or hf://OWNER/NAME@REVISION')
    .addOption(python())
    .option('--json', 'print what was found as JSON on stdout')
    .action(async (name: string, options) => (await import('../weights.ts')).showWeights(name, options));
  weights
    .command('get')
    .description('Download weights into the cache, checked against the checksums that the hub or the bucket states.')
    .argument('<name>', 'hf://OWNER/NAME@COMMIT or gs://BUCKET/PREFIX, with #sha256=… if the files are known')
    .addOption(python())
    .option('--json', 'print the record as JSON on stdout')
    .action(async (name: string, options) => (await import('../weights.ts')).getWeights(name, options));
}
