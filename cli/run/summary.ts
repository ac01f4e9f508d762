/** `stp summary`: prints pass@k of an evaluation log like STP's summary.py, or a run's figures by round. */
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StpError } from '@stp/base';
import type { Statement } from '@stp/config/records';
import { countResults, type DatasetFormat, readDataset, readSearchResults, type SearchResult } from '@stp/datasets';
import type { ShortBlock } from '@stp/selfplay';
import { type SplitStatements, statementText, summariseLog } from '../../activities/evaluation/log-summary.ts';
import { repositorySources } from '../../workers/sources.ts';
import { roundTable } from './round-table.ts';

export interface SummaryOptions {
  readonly log_path?: string;
  readonly split?: string;
  readonly max_iter?: number;
  readonly statements?: string;
  readonly estimator: 'block' | 'unbiased' | 'both';
  readonly shortBlock: ShortBlock;
  readonly seed: number;
  readonly run?: string;
  readonly searchResults?: readonly string[];
  readonly json?: boolean;
}

/** Dataset format and problem set for each of STP's split names. */
const FAMILIES: Readonly<Record<string, { readonly format: DatasetFormat; readonly set: string }>> = {
  minif2f: { format: 'minif2f', set: 'minif2f' },
  proofnet: { format: 'proofnet', set: 'proofnet' },
  putnam: { format: 'putnam-bench', set: 'putnam' },
};

export async function summary(options: SummaryOptions): Promise<void> {
  const sources = [options.log_path, options.run, options.searchResults];
  if (sources.filter((source) => source !== undefined).length !== 1)
    throw new StpError(
      'STP1002',
      'give one of --log_path, --run and --search-results',
      'See `bin/stp summary --help`.',
    );
  if (options.searchResults !== undefined) return searchSummary(options.searchResults, options.json === true);
  if (options.run !== undefined) {
    console.log(await roundTable(options.run, options.json === true));
    return;
  }
  const path = options.log_path!;
  const split = options.split ?? 'miniF2F';
  const results = await summariseLog({
    path,
    splits: await statementsOfSplits(path, split, options.statements),
    samples: options.max_iter ?? null,
    shortBlock: options.shortBlock,
    seed: options.seed,
  });
  const { estimator } = options;
  const figures = results.map(({ name, block, unbiased }): [string, unknown] => [
    name,
    estimator === 'both' ? { block, unbiased } : estimator === 'block' ? block : unbiased,
  ]);
  console.log(JSON.stringify(Object.fromEntries(figures)));
}

async function searchSummary(paths: readonly string[], json: boolean): Promise<void> {
  const results: SearchResult[] = [];
  for (const path of paths) results.push(...(await readSearchResults(path)));
  const counts = countResults(results);
  if (json) return console.log(JSON.stringify(counts));
  const { theorems, proved, failures, notBegun, steps } = counts;
  const percent = (of: number): string => `${((100 * proved) / Math.max(1, of)).toFixed(1)} %`;
  console.log(
    `${proved} of ${theorems} theorems proved by ${steps} steps: Pass@1 ${percent(theorems)} of all, ${percent(theorems - notBegun)} of the ${theorems - notBegun} whose search could begin`,
  );
  for (const [reason, count] of Object.entries(failures)) console.log(`  ${count} ${reason}`);
}

/** Returns the splits that `split` names, by part (`valid`, `test`, …), with the statements of each. */
async function statementsOfSplits(log: string, split: string, file: string | undefined): Promise<SplitStatements[]> {
  const splits = new Map<string, Set<string>>();
  for await (const statement of await statementsFor(log, split, file)) {
    const name = splitName(statement, split);
    const text = statementText(statement.statement);
    if (name === null || text === null) continue;
    const texts = splits.get(name) ?? new Set<string>();
    texts.add(text);
    splits.set(name, texts);
  }
  if (splits.size === 0)
    throw new StpError(
      'STP1502',
      `no statement has the label ${JSON.stringify(split)}`,
      'Labels are the first ones of the statements: miniF2F, proofnet, putnam, or SET of an evaluation of ours.',
    );
  return [...splits].map(([name, texts]) => ({ name, texts }));
}

/** `miniF2F` matches the labels `miniF2F`, `miniF2F valid`, `miniF2F test`; the result is spelled as requested. */
function splitName({ labels }: Statement, split: string): string | null {
  const wanted = split.toLowerCase();
  for (const label of labels) {
    const lower = label.toLowerCase();
    if (lower === wanted) return split;
    const part = lower.startsWith(`${wanted} `) ? lower.slice(wanted.length) : '';
    if (/^ (?:valid|test|train|held-out|bench)$/.test(part)) return split + part;
  }
  return null;
}

/** Opens the named file, else the list beside the log, else the problem set of that name. */
async function statementsFor(log: string, split: string, file: string | undefined): Promise<AsyncIterable<Statement>> {
  const family = FAMILIES[split.toLowerCase().split(' ')[0]!];
  const beside = join(dirname(log), 'statements.jsonl');
  const path = file ?? ((await stat(beside).catch(() => null)) === null ? null : beside);
  if (path !== null) {
    const format = basename(path) === 'statements.jsonl' ? 'statements' : (family?.format ?? 'statements');
    return readDataset(path, { format }).statements;
  }
  if (family !== undefined) return namedSet(family.set);
  return labelled(split.split(' ')[0]!);
}

/** Yields a set's statements with the label of our evaluations: the set's name and the split. */
async function* labelled(set: string): AsyncGenerator<Statement> {
  for await (const statement of namedSet(set))
    yield { ...statement, labels: [`${set} ${statement.split}`, ...statement.labels] };
}

async function* namedSet(set: string): AsyncGenerator<Statement> {
  try {
    yield* repositorySources().problemSet(set);
  } catch (cause) {
    // The folder is missing or has no statements.
    if (!(cause instanceof StpError) || !['STP1002', 'STP1405'].includes(cause.code)) throw cause;
    throw new StpError(
      'STP1502',
      `the statements of ${JSON.stringify(set)} are unknown: there is no problem set of that name`,
      'Name the dataset file with --statements, or prepare the set with `bin/stp data prepare`.',
      { cause },
    );
  }
}
