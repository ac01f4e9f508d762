/**
 * What becomes of a long run's conjectures, round by round: how many and how different they are, how far lemmas build on lemmas, what the
 * library costs, and how hard the proved ones are for the run's first model, a yardstick that does not move. Reads a run that is
 * finished or not; its evaluation of conjectures lies beside the run and continues.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type EvaluationGroup,
  evaluationReportSchema,
  type ObjectStore,
  provedSchema,
  type RoundManifest,
  roundManifestSchema,
  type Statement,
  statementSchema,
} from '@stp/config/records';
import { growEnvironment, grownHeaders } from '@stp/lean-explore';
import { type LeanEnvironment, LIBRARY_HEADER, runLean } from '@stp/lean-verifier';
import { orderKey } from '@stp/selfplay';
import { execa } from 'execa';
import { z } from 'zod';
import { readAll, readJson } from '../../activities/records/record-files.ts';
import type { RoundFigures } from '../../activities/report/figures.ts';
import { gatherRun } from '../../activities/report/gather.ts';
import { openRun } from '../../activities/report/open-run.ts';
import { type GrownRecord, grownTheoremSchema } from '../../activities/round/library.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { STP } from './command.ts';

export interface CurriculumOptions {
  /** Proved conjectures of a round that the first model tries, at most; 0: none. */
  readonly sample: number;
  readonly samplesPerStatement: number;
}

export interface CurriculumRow {
  readonly figures: RoundFigures;
  /** Grown theorems under the round's statements, and those of them that are marked. */
  readonly library: { readonly theorems: number; readonly marked: number };
  /** How long Lean takes to start with that header of the library which takes longest, and with the same without the library. */
  readonly start: Start | null;
  /** Of the round's proved conjectures. */
  readonly firstModel: Pick<EvaluationGroup, 'proved' | 'statements'> | null;
}

export interface Start {
  readonly withMs: number;
  readonly withoutMs: number;
}

const STARTS_TIMED = 5;
const START_DEADLINE_MS = 120_000;

/** @param folder of the run */
export async function curriculumOf(
  folder: string,
  options: CurriculumOptions,
  say: (line: string) => void,
): Promise<CurriculumRow[]> {
  const source = await openRun(pathToFileURL(folder).href);
  const { store, state } = source;
  const { rounds } = await gatherRun({ ...source, losses: [] });
  const manifests = await Promise.all(
    state.outcomes.map(({ manifest }) => readJson(store, manifest, roundManifestSchema)),
  );
  const firstModel = options.sample === 0 ? [] : await triedByFirstModel(folder, store, manifests, options);
  const settings = workerSettings();
  const lean = await leanEnvironment(settings, say);
  const rows: CurriculumRow[] = [];
  for (const [place, figures] of rounds.entries()) {
    const { library } = manifests[place]!;
    const grown = library === null ? [] : await readAll(store, library, grownTheoremSchema);
    const start = grown.length === 0 ? null : await startOver(lean, grown, settings.cacheDirectory);
    say(`round ${figures.round}: ${grown.length} theorems`);
    const marked = grown.filter(({ marks }) => marks.length > 0).length;
    const group = firstModel.find((one) => one.group === `${setOf(figures.round)} train`) ?? null;
    rows.push({ figures, library: { theorems: grown.length, marked }, start, firstModel: group });
  }
  return rows;
}

async function startOver(
  environment: LeanEnvironment,
  grown: readonly GrownRecord[],
  cacheDirectory: string,
): Promise<Start> {
  const under = await growEnvironment(environment, grown, { cacheDirectory });
  let slowest: Start = { withMs: 0, withoutMs: 0 };
  for (const [header, own] of grownHeaders(grown)) {
    const withMs = await timeToStart(under, own);
    if (withMs > slowest.withMs) slowest = { withMs, withoutMs: await timeToStart(under, header ?? LIBRARY_HEADER) };
  }
  return slowest;
}

/** The least of several, since other work only adds to it. */
async function timeToStart({ executable, searchPath }: LeanEnvironment, header: string): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < STARTS_TIMED; time++) {
    const startedAt = performance.now();
    const words = { executable, searchPath, arguments: ['--stdin'], input: `${header}\n` };
    const { exitCode, messages } = await runLean({ ...words, deadlineMs: START_DEADLINE_MS });
    if (exitCode !== 0) throw new Error(`Lean did not start with ${header}: ${messages[0]?.text ?? 'no message'}`);
    times.push(performance.now() - startedAt);
  }
  return Math.min(...times);
}

const setOf = (round: number): string => `round-${round}`;

/** The first model on proved conjectures of each round, without scripts and without the library. */
async function triedByFirstModel(
  folder: string,
  store: ObjectStore,
  manifests: readonly RoundManifest[],
  { sample, samplesPerStatement }: CurriculumOptions,
): Promise<readonly EvaluationGroup[]> {
  const last = manifests.at(-1)!.round;
  const data = `${folder}-conjectures`;
  const sets: string[] = [];
  for (const manifest of manifests) {
    const chosen = await provedConjectures(store, manifest, sample);
    if (chosen.length === 0) continue;
    const set = setOf(manifest.round);
    const place = join(data, 'problems', set);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'statements.jsonl'), chosen.map((one) => `${JSON.stringify(one)}\n`).join(''));
    sets.push(set);
  }
  if (sets.length === 0) return [];
  const out = `${folder}-first-model-${last}`;
  const words = [
    'eval',
    '--model',
    `${folder}@sft`,
    '--problems',
    sets.join(','),
    '--samples',
    `${samplesPerStatement}`,
  ];
  const { stdout } = await execa(STP, [...words, '--set', 'prover.scripts=none', '--run-dir', out, '--json'], {
    env: { STP_DATA: data },
    stderr: 'inherit',
  });
  return evaluationReportSchema.parse(JSON.parse(stdout)).groups;
}

/** A fair sample: by hash. */
async function provedConjectures(
  store: ObjectStore,
  { round, proved, conjectures }: RoundManifest,
  most: number,
): Promise<Statement[]> {
  if (conjectures === null) return [];
  const certified = new Set((await readAll(store, proved, provedSchema)).map(({ statementId }) => statementId));
  return (await readAll(store, conjectures, asStatement))
    .filter((one) => certified.has(one.id))
    .sort((a, b) => (orderKey(round, a.id) < orderKey(round, b.id) ? -1 : 1))
    .slice(0, most);
}

/** A conjecture without what made it one. */
const asStatement = z.object(statementSchema.shape);

const orDash = (value: number | null, digits = 0): string => (value === null ? '–' : value.toFixed(digits));

export function curriculumTable(rows: readonly CurriculumRow[]): string {
  const heads = [
    'round',
    'statements proved so far',
    'conjectures asked, proved',
    'sets of functions asked, proved',
    'median novelty',
    'longest chain',
    'library, marked',
    'Lean starts with, without it, ms',
    'Lean, ms a sample',
    'first model proves',
  ];
  const cells = rows.map(({ figures, library, start, firstModel }) => {
    const { round, counts, functionSets, novelties, chain, checkMs } = figures;
    return [
      round,
      counts.provedEver,
      `${counts.conjecturesAttempted}, ${counts.conjecturesProved}`,
      `${functionSets.attempted}, ${functionSets.proved}`,
      orDash(novelties?.median ?? null, 2),
      chain,
      `${library.theorems}, ${library.marked}`,
      start === null ? '–' : `${start.withMs.toFixed(0)}, ${start.withoutMs.toFixed(0)}`,
      orDash(counts.distinctSamples === 0 ? null : checkMs / counts.distinctSamples),
      firstModel === null ? '–' : `${firstModel.proved} of ${firstModel.statements}`,
    ];
  });
  return [heads, heads.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
