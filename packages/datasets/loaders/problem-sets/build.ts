/**
 * Builds every `statements.jsonl` of `data/problems` from the source beside it: `node
 * packages/datasets/loaders/problem-sets/build.ts`. The sources are the benchmarks' own text. A set's `omitted.json`
 * lists what is left out, with reasons. Tests compare the files with this program's output, so statements are never
 * edited by hand.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readLines } from '@stp/base/files';
import { statementId } from '@stp/config/ids';
import { type Split, type Statement, statementSchema } from '@stp/config/records';
import { z } from 'zod';
import { PROBLEMS_DIRECTORY } from '../problem-set.ts';
import { theoremText } from '../theorem-text.ts';
import { renderGoal, type Vocabulary } from '../tip/goal.ts';
import { parseSExpressions } from '../tip/s-expression.ts';
import { type Rewrites, toCoreLean } from './core-lean.ts';
import { splitOfSource } from './split.ts';

export const PROBLEM_SET_NAMES = ['nng', 'isaplanner', 'tip2015', 'minif2f-core'] as const;
export type ProblemSetName = (typeof PROBLEM_SET_NAMES)[number];

const tipRowSchema = z.strictObject({ name: z.string(), text: z.string() });
const nngRowSchema = z.strictObject({ world: z.string(), level: z.number(), name: z.string(), statement: z.string() });
const miniF2fRowSchema = z.strictObject({ formal_statement: z.string(), split: z.string() });
const tableSchema = z.record(z.string(), z.string());
const vocabularyFileSchema = z.strictObject({
  common: z.strictObject({ terms: tableSchema, types: tableSchema, comparing: z.array(z.string()) }),
  families: z.record(z.string(), z.strictObject({ terms: tableSchema, types: tableSchema.optional() })),
});
const rewritesSchema = z.record(z.string(), z.array(z.tuple([z.string(), z.string()])));

/** Returns the records of a set, in the order of its source. */
export async function buildProblemSet(set: ProblemSetName): Promise<readonly Statement[]> {
  const omitted = tableSchema.parse(JSON.parse(await readFile(join(PROBLEMS_DIRECTORY, set, 'omitted.json'), 'utf8')));
  const candidates = await { nng, isaplanner: tip, tip2015: tip, 'minif2f-core': miniF2fCore }[set](set);
  const unknown = new Set(Object.keys(omitted));
  for (const { source } of candidates) unknown.delete(source);
  if (unknown.size > 0) throw new Error(`${set}/omitted.json names no source: ${[...unknown].join(', ')}`);
  return candidates
    .filter(({ source }) => omitted[source] === undefined)
    .map(({ source, text, header, split, labels }) => {
      const theorem = theoremText(text());
      if (theorem === null) throw new Error(`${set}/${source} is no theorem: ${text()}`);
      return statementSchema.parse({
        id: statementId(header, theorem.statement),
        name: theorem.name,
        header,
        statement: theorem.statement,
        split: split ?? splitOfSource(`${set}/${source}`),
        labels: [`${set}/${source}`, ...labels],
        weight: 1,
      });
    });
}

interface BuildCandidate {
  /** Name in the source; unique within the set. */
  readonly source: string;
  readonly text: () => string;
  readonly header: string | null;
  readonly split?: Split;
  readonly labels: readonly string[];
}

async function tip(set: ProblemSetName): Promise<readonly BuildCandidate[]> {
  const module = `Stp.Problems.${set.charAt(0).toUpperCase()}${set.slice(1)}`;
  const header = `import Stp\nimport ${module}\nopen ${module}`;
  const rows = await sourceRows(set, tipRowSchema);
  const vocabularyOf = await readVocabulary(join(PROBLEMS_DIRECTORY, set));
  return rows.map(({ name, text }) => ({
    source: name,
    text: () => renderGoal(name, parseSExpressions(text, `${set}/${name}`), vocabularyOf(name)),
    header,
    labels: [],
  }));
}

/** Reads the vocabulary of each problem of the TIP set in `directory`, from its `vocabulary.json`. */
export async function readVocabulary(directory: string): Promise<(problem: string) => Vocabulary> {
  const text = await readFile(join(directory, 'vocabulary.json'), 'utf8');
  const { common, families } = vocabularyFileSchema.parse(JSON.parse(text));
  const patterns = Object.entries(families).map(([pattern, tables]) => ({ pattern: new RegExp(pattern, 'u'), tables }));
  return (problem) => {
    const own = patterns.filter(({ pattern }) => pattern.test(problem)).map(({ tables }) => tables);
    const merged = (tables: readonly Record<string, string>[]) => new Map(Object.entries(Object.assign({}, ...tables)));
    return {
      terms: merged([common.terms, ...own.map(({ terms }) => terms)]) as Map<string, string>,
      types: merged([common.types, ...own.map(({ types }) => types ?? {})]) as Map<string, string>,
      comparing: new Set(common.comparing),
    };
  };
}

/** Marks levels of the game that are not written yet. */
const NNG_PLACEHOLDER = /: true$/u;

async function nng(set: ProblemSetName): Promise<readonly BuildCandidate[]> {
  const rows = await sourceRows(set, nngRowSchema);
  const rewrites = await readRewrites(set);
  return rows
    .filter(({ statement }) => !NNG_PLACEHOLDER.test(statement))
    .map(({ world, name, statement }) => ({
      source: `${world}/${name}`,
      text: () => toCoreLean(statement, rewrites[name] ?? []),
      header: null,
      labels: [],
    }));
}

async function miniF2fCore(set: ProblemSetName): Promise<readonly BuildCandidate[]> {
  const rows = await sourceRows(set, miniF2fRowSchema);
  const rewrites = await readRewrites(set);
  return rows.map((row) => {
    const theorem = theoremText(row.formal_statement);
    if (theorem === null) throw new Error(`${set}: no theorem: ${row.formal_statement}`);
    return {
      source: theorem.name,
      text: () => toCoreLean(theorem.statement, rewrites[theorem.name] ?? []),
      header: null,
      split: row.split === 'miniF2F test' ? 'held-out' : 'train',
      labels: [row.split],
    };
  });
}

async function readRewrites(set: ProblemSetName): Promise<Readonly<Record<string, Rewrites>>> {
  return rewritesSchema.parse(JSON.parse(await readFile(join(PROBLEMS_DIRECTORY, set, 'rewrites.json'), 'utf8')));
}

async function sourceRows<T>(set: ProblemSetName, schema: z.ZodType<T>): Promise<readonly T[]> {
  const rows: T[] = [];
  for await (const { text } of readLines(join(PROBLEMS_DIRECTORY, set, 'source.jsonl'))) {
    rows.push(schema.parse(JSON.parse(text)));
  }
  return rows;
}

/** Returns the file's text, one record a line. */
export function statementsText(statements: readonly Statement[]): string {
  return statements.map((statement) => `${JSON.stringify(statement)}\n`).join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const set of PROBLEM_SET_NAMES) {
    const statements = await buildProblemSet(set);
    await writeFile(join(PROBLEMS_DIRECTORY, set, 'statements.jsonl'), statementsText(statements));
    const heldOut = statements.filter(({ split }) => split === 'held-out').length;
    console.log(`${set}: ${statements.length} statements, ${heldOut} held out`);
  }
}
