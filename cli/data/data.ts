/**
 * `bin/stp data`: makes problem sets and SFT sets of other people's files in the runs' data folder, and exports ours.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { StpError } from '@stp/base';
import {
  type Answers,
  type ProblemSetReport,
  PUBLIC_SETS,
  type PublicSetName,
  prepareProblemSet,
  readStpConfig,
  SET_NAME,
  type SftManifest,
} from '@stp/datasets';
import { prepareWordsSet } from '@stp/judge';
import { readItems } from '@stp/judge/formats';
import { type LeanDojoSplit, type OwnLibrary, ownLibrary } from '@stp/lean-explore';
import { namesBoundIn, screenHeader, screenStatement } from '@stp/lean-verifier';
import { exportLibrary } from '../../activities/retrieval/export-library.ts';
import { exportLlmstep, leanDojoRows, libraryRows } from '../../activities/retrieval/export-llmstep.ts';
import { addProofs } from '../../activities/sft/add-proofs.ts';
import {
  type PreparedSft,
  prepareLibrarySft,
  prepareNextTactics,
  prepareTracedSft,
  type SftTarget,
} from '../../activities/sft/prepare.ts';
import { DATA, REPOSITORY, workerSettings } from '../../workers/settings.ts';
import { repositorySources } from '../../workers/sources.ts';
import type { CompiledOptions } from './data-compiled.ts';

export interface ExportOptions {
  readonly to: string;
  readonly as: 'leandojo' | 'llmstep';
  /** LeanDojo folder to read, instead of the library. */
  readonly input?: string;
  readonly split?: string;
  readonly seed: number;
  readonly replace?: boolean;
  readonly json?: boolean;
}

/**
 * Writes the library with its traced proofs, or llmstep's text of a LeanDojo folder or of the library. Prints counts.
 */
export async function exportData(options: ExportOptions): Promise<void> {
  const { to, seed, replace, json } = options;
  const folder = resolve(to);
  if (options.as === 'llmstep') return exportText(options, folder);
  for (const option of ['input', 'split'] as const)
    if (options[option] !== undefined)
      throw new StpError('STP1002', `--${option} has no effect without --as llmstep`, 'Leave it out.');
  const library = await readLibrary();
  const report = await exportLibrary(library, { folder, seed, replace: replace === true });
  if (json === true) return console.log(JSON.stringify(report));
  const { theorems, tactics, withPremises, premises, files } = report;
  console.log(
    `${theorems} theorems with ${tactics} traced tactics (${withPremises} name premises), ${premises} premises of ${files} files, in ${folder}`,
  );
}

async function exportText({ input, split, seed, replace, json }: ExportOptions, folder: string): Promise<void> {
  const of = leanDojoSplit(split);
  const rows = input === undefined ? libraryRows(await readLibrary(), of, seed) : leanDojoRows(resolve(input), of);
  const report = await exportLlmstep(rows, { folder, replace: replace === true });
  if (json === true) return console.log(JSON.stringify(report));
  const { train, val, test } = report.lines;
  const left = report.marked === 0 ? '' : `; ${report.marked} left out, which contain llmstep's marks`;
  console.log(`${train} steps to train on, ${val} to validate and ${test} to test, in ${folder}${left}`);
}

async function readLibrary(): Promise<OwnLibrary> {
  const sources = repositorySources();
  const [theorems, traced] = [await sources.libraryTheorems(), await sources.tracedProofs()];
  return ownLibrary(join(REPOSITORY, 'data/library'), theorems, traced);
}

export interface PrepareOptions extends CompiledOptions {
  readonly problems?: string;
  readonly out?: string;
  readonly headerFile?: string;
  readonly skipInvalid?: boolean;
  readonly answers?: Answers;
  readonly root?: string;
  readonly mathlib?: string;
  readonly with?: string;
  readonly seed?: number;
  readonly exportJson?: string;
}

const COMPILED: readonly (keyof PrepareOptions)[] = [
  ...(['modules', 'areas', 'names', 'split', 'as', 'weight', 'charsMax'] as const),
];
/** Options that apply to some sources only. */
const OPTIONS_OF: Readonly<Record<string, readonly (keyof PrepareOptions)[]>> = {
  library: ['seed'],
  leandojo: ['input', 'split', 'mathlib', 'seed', 'exportJson'],
  'leandojo-steps': ['input', 'split'],
  proofs: ['input', 'with', 'seed'],
  words: ['input', 'problems'],
  lean: COMPILED,
  project: ['input', 'proofs', ...COMPILED],
  'stp-config': ['input', 'root', 'skipInvalid', 'headerFile', 'answers'],
  set: ['input', 'split', 'as', 'headerFile', 'weight', 'skipInvalid', 'answers'],
};
const EVERY_SOURCE: readonly (keyof PrepareOptions)[] = ['from', 'name', 'out', 'replace', 'json'];
/** Sources of SFT sets, each with the set's default name. All other sources make problem sets. */
const SFT_NAMES: Readonly<Record<string, string>> = {
  library: 'core-library',
  leandojo: 'mathlib',
  'leandojo-steps': 'mathlib-steps',
  proofs: 'mathlib-leanworkbook',
};

/** Prepares the set that the options describe. Prints its counts and the option with which a run uses it. */
export async function prepare(options: PrepareOptions): Promise<void> {
  refuseForeign(options);
  const folder = resolve(options.out ?? workerSettings().dataDirectory);
  if (options.from in SFT_NAMES) return prepareSft(options, folder);
  if (options.from === 'words') return prepareWords(options, folder);
  if (options.from === 'lean' || options.from === 'project') {
    const name = problemSetName(options.name ?? (options.from === 'lean' ? 'lean-core' : 'project'), folder);
    if (options.proofs === true) refuseBuiltIn(name);
    const { prepareCompiled } = await import('./data-compiled.ts');
    return prepareCompiled(options, name, folder);
  }
  const reports = options.from === 'stp-config' ? await mixed(options, folder) : [await single(options, folder)];
  if (options.json === true) return console.log(JSON.stringify(reports));
  for (const report of reports) console.log(described(report));
  console.log(
    `A run takes ${reports.length === 1 ? 'it' : 'them'} with --set 'data.problemSets=${JSON.stringify(reports.map(({ name }) => name))}'${whereSaid(options, folder)}.`,
  );
}

async function prepareWords(options: PrepareOptions, folder: string): Promise<void> {
  const name = problemSetName(options.name ?? 'words', folder);
  const source = required(options.input, '--input', 'a file of problems or proofs (docs/judges.md)');
  const given = options.problems === undefined ? [] : await readItems(resolve(options.problems));
  const gradings = new Map(given.map(({ problemId, grading }) => [problemId, grading]));
  const items = await readItems(source);
  const report = await prepareWordsSet({ name, source, folder, replace: options.replace === true, items, gradings });
  if (options.json === true) return console.log(JSON.stringify({ name, ...report }));
  const { train, heldOut, proofs } = report;
  console.log(`${name}: ${train} training and ${heldOut} held-out problems in ${join(folder, 'problems', name)}`);
  const sft = proofs === 0 ? '' : ` --set data.sft=${name}`;
  console.log(
    `A run takes it with --preset judge-grpo --set 'data.problemSets=["${name}"]'${sft}${whereSaid(options, folder)}; ${proofs} proofs train its first model.`,
  );
}

function headerRefusal(header: string): string | null {
  const screened = screenHeader(header);
  return screened.accepted ? null : screened.reason;
}

function statementRefusal(statement: string, header: string | null): string | null {
  const screened = screenStatement(statement, namesBoundIn(header));
  return screened.accepted ? null : screened.refusal.reason;
}

async function single(options: PrepareOptions, folder: string): Promise<ProblemSetReport> {
  const source = PUBLIC_SETS[options.from as PublicSetName];
  const splitWord = options.split === undefined || options.split === 'all' ? null : options.split;
  const name = problemSetName(
    options.name ?? [options.from, ...(splitWord === null ? [] : [splitWord])].join('-'),
    folder,
  );
  return prepareProblemSet({
    name,
    input: required(options.input, '--input', 'the dataset file'),
    folder: join(folder, 'problems', name),
    source,
    splitWord,
    split: options.as,
    header: headerOf(options),
    weight: options.weight,
    skipInvalid: options.skipInvalid,
    answers: options.answers,
    headerRefusal,
    statementRefusal,
    replace: options.replace === true,
  });
}

/**
 * Prepares each dataset of an STP configuration as a set named like its file, by the same loader rule
 * (docs/algorithm.md, section 12).
 */
async function mixed(options: PrepareOptions, folder: string): Promise<ProblemSetReport[]> {
  const input = required(options.input, '--input', 'the dataset configuration');
  const sets = await readStpConfig(input, resolve(options.root ?? '.'));
  for (const { name, path } of sets) refuseShipped(name, folder, `Rename the file ${basename(path)}.`);
  const reports: ProblemSetReport[] = [];
  for (const { name, path, weight } of sets)
    reports.push(
      await prepareProblemSet({
        name,
        input: path,
        folder: join(folder, 'problems', name),
        source: { ...PUBLIC_SETS.jsonl, header: PUBLIC_SETS.leanworkbook.header, skipInvalid: true },
        splitWord: null,
        header: headerOf(options),
        weight,
        skipInvalid: options.skipInvalid,
        answers: options.answers,
        headerRefusal,
        statementRefusal,
        replace: options.replace === true,
      }),
    );
  return reports;
}

async function prepareSft(options: PrepareOptions, data: string): Promise<void> {
  const name = setName(options.name ?? SFT_NAMES[options.from]!);
  refuseBuiltIn(name);
  const target = { name, folder: join(data, 'SFT', name), seed: options.seed ?? 0, replace: options.replace === true };
  const { manifest, left } = await madeSft(options, target, data);
  if (options.json === true) return console.log(JSON.stringify({ ...manifest, left }));
  console.log(describedSft(manifest, left, target.folder));
  const { proverExamples, stateExamples } = manifest.counts;
  const mode = stateExamples > 0 && stateExamples === proverExamples ? ' --set prover.mode=steps' : '';
  console.log(`A run takes it with --set data.sft=${name} --set prover.slots=false${mode}${whereSaid(options, data)}.`);
}

async function madeSft(options: PrepareOptions, target: SftTarget, data: string): Promise<PreparedSft> {
  if (options.from === 'library') return prepareLibrarySft(repositorySources(data), target);
  if (options.from === 'proofs') {
    const proofs = required(options.input, '--input', 'proved.jsonl of a round');
    if (options.with === undefined)
      throw new StpError('STP1002', '--with is missing', 'Name the SFT set that the proofs are added to.');
    return addProofs({ ...target, proofs, base: join(data, 'SFT', setName(options.with)) });
  }
  const leanDojo = required(options.input, '--input', 'the LeanDojo Benchmark 4 folder');
  const split = leanDojoSplit(options.split);
  if (options.from === 'leandojo-steps') return prepareNextTactics({ ...target, leanDojo, split });
  return prepareTracedSft({
    ...target,
    leanDojo,
    split,
    checkout: required(options.mathlib, '--mathlib', 'the checkout that was traced'),
    exportFolder: options.exportJson === undefined ? null : resolve(options.exportJson),
  });
}

function described(report: ProblemSetReport): string {
  const { name, folder, rows, train, heldOut, skipped, repeated, otherSplit, renamed, skippedRows } = report;
  const { refusedHeaders, withDefinitions, skippedFor } = report;
  const left = [
    `${skipped} not used`,
    `${repeated} repeated`,
    ...(otherSplit > 0 ? [`${otherSplit} of another split`] : []),
    ...(renamed > 0 ? [`${renamed} renamed`] : []),
  ];
  return [
    `${name}: ${train} training and ${heldOut} held-out statements of ${rows} rows (${left.join(', ')}) in ${folder}`,
    ...Object.entries(skippedFor).map(([reason, count]) => `  ${count} left out: ${reason}`),
    ...skippedRows.slice(0, 3).map((row) => `  left out ${row}`),
    ...(skipped > 3 ? [`  … ${skipped - 3} more${skippedRows.length > 3 ? ' in its card.md' : ''}`] : []),
    ...(withDefinitions > 0 ? [`  ${withDefinitions} bring definitions of their own`] : []),
    ...(refusedHeaders > 0
      ? [`  ${refusedHeaders} under headers that the checker refuses: kept, but not provable here`]
      : []),
  ].join('\n');
}

function describedSft(manifest: SftManifest, left: Readonly<Record<string, number>>, folder: string): string {
  const { proverExamples, conjecturerExamples, heldOutTheorems, theorems, stateExamples } = manifest.counts;
  const reasons = Object.entries(left).filter(([, count]) => count > 0);
  return [
    `${manifest.name}: ${proverExamples - stateExamples} proofs, ${stateExamples} next tactics and ${conjecturerExamples} conjecturer examples from ${theorems} theorems,`,
    `  ${heldOutTheorems} theorems held out, in ${folder}`,
    ...reasons.map(([reason, count]) => `  ${count} ${reason}`),
  ].join('\n');
}

/** Returns the folder for a message, or nothing if it is the default folder of runs. */
function whereSaid(options: PrepareOptions, folder: string): string {
  return options.out === undefined ? '' : ` under STP_DATA=${folder}`;
}

function refuseForeign(options: PrepareOptions): void {
  const own = OPTIONS_OF[options.from] ?? OPTIONS_OF.set!;
  const known = new Set<string>([...own, ...EVERY_SOURCE]);
  if (options.from === 'stp-config') known.delete('name');
  for (const [key, value] of Object.entries(options))
    if (value !== undefined && !known.has(key))
      throw new StpError(
        'STP1002',
        `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} has no effect with --from ${options.from}`,
        'Leave it out; `bin/stp data prepare --help` explains the options.',
      );
}

function setName(name: string): string {
  if (SET_NAME.test(name)) return name;
  throw new StpError('STP1002', `"${name.slice(0, 80)}" is no name of a set`, 'Use small letters, digits and hyphens.');
}

/** Throws STP1002 for the name of the built-in SFT set. */
function refuseBuiltIn(name: string): void {
  if (name === 'library')
    throw new StpError('STP1002', 'the name library is taken by the built-in SFT set', 'Give another --name.');
}

function problemSetName(name: string, data: string): string {
  refuseShipped(setName(name), data, 'Give another --name.');
  return name;
}

/** Throws STP1002 for the name of a shipped set: runs look into the data folder first and would take the other set. */
function refuseShipped(name: string, data: string, advice: string): void {
  const shipped = join(DATA, 'problems', name);
  if (existsSync(shipped) && shipped !== join(data, 'problems', name))
    throw new StpError('STP1002', `the name ${name} is taken by a problem set that is shipped (${shipped})`, advice);
}

function required(value: string | undefined, option: string, what: string): string {
  if (value !== undefined) return resolve(value);
  throw new StpError('STP1002', `${option} is missing`, `Give ${what}.`);
}

function leanDojoSplit(split = 'random'): LeanDojoSplit {
  if (split === 'random' || split === 'novel_premises') return split;
  throw new StpError('STP1002', `LeanDojo has no split ${split.slice(0, 64)}`, 'Say random or novel_premises.');
}

function headerOf({ headerFile }: PrepareOptions): string | undefined {
  if (headerFile === undefined) return undefined;
  try {
    return readFileSync(headerFile, 'utf8').trim();
  } catch (cause) {
    throw new StpError('STP1405', `cannot read ${headerFile}`, 'Check the path and its permissions.', { cause });
  }
}
