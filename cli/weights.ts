/** `bin/stp weights`: models from elsewhere, which a training can start from. */
import { printableJson, printableLine } from '@stp/base';
import { ggufToFolder } from '@stp/language-model';
import { describeHubModel, fetchWeights } from '../infra/weights/weights.ts';
import { workerSettings } from '../workers/settings.ts';

export interface WeightsCommandOptions {
  readonly python: string;
  readonly json?: boolean;
}

const GIB = 1 << 30;

/** Says what a repository of the hub holds; downloads no weights. */
export async function showWeights(name: string, { python, json }: WeightsCommandOptions): Promise<void> {
  const found = await describeHubModel(name, { python });
  if (json) return console.log(printableJson(found));
  const plain = name.replace(/[@#].*$/, '');
  console.log(
    printableLine(`licence  ${found.licence}${found.gated ? ' (its terms must be accepted on its page)' : ''}`),
  );
  console.log(`size     ${(found.bytes / GIB).toFixed(2)} GiB in ${found.files.length} files`);
  console.log(printableLine(`name     ${plain}@${found.commit}`));
}

/** Downloads weights into the cache and says their name with its checksum. */
export async function getWeights(name: string, { python, json }: WeightsCommandOptions): Promise<void> {
  const { cacheDirectory } = workerSettings();
  if (!json && name.startsWith('hf://')) await showWeights(name, { python });
  const record = await fetchWeights(name, { python, cacheDirectory, convertGguf: ggufToFolder });
  if (json) return console.log(printableJson(record));
  console.log(printableLine(`name     ${record.name}#sha256=${record.sha256}`));
  console.log('A training starts from it with this name as engines.trainer.base.');
}
