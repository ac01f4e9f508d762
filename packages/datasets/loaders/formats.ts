/**
 * Row shapes of the public datasets, and their conversion to statements: keys, split words and headers. Reads no files.
 * The keys are those of STP's own data files (miniF2F, ProofNet, PutnamBench, LeanWorkbook).
 */

import { statementId, wordsId } from '@stp/config/ids';
import {
  HEADER_CHARS_MAX,
  type Split,
  STATEMENT_CHARS_MAX,
  type Statement,
  statementSchema,
} from '@stp/config/records';
import { z } from 'zod';
import type { Answers } from './answers.ts';
import { rowText } from './row-text.ts';
import { bareText, theoremText } from './theorem-text.ts';

const label = z.string().max(128);
const tags = z.array(label).max(15).nullish();
const text = z.string().max(65_536);
/** The problem in words, under each source's name for it. */
const informal = {
  informal_prefix: text.nullish(),
  informal_stmt: text.nullish(),
  natural_language_statement: text.nullish(),
};

const header = z.string().max(HEADER_CHARS_MAX);
/** Unused keys (`goal`, …) are allowed and ignored, because others made the files. */
const miniF2fRow = z.looseObject({ formal_statement: text, header: header.nullish(), split: label, tags, ...informal });
const namedRow = z.looseObject({
  name: label,
  formal_statement: text,
  header,
  split: label,
  tags,
  ...informal,
});
const leanWorkbookRow = z.looseObject({
  formal_statement: text,
  header: header.nullish(),
  split: label.nullish(),
  tags,
  ...informal,
});
/** Rows from any source: like STP's loader, it needs only the statement. */
const plainRow = z
  .looseObject({
    formal_statement: text.optional(),
    statement: text.optional(),
    header: header.nullish(),
    split: label.nullish(),
    tags,
    weight: z.number().positive().optional(),
    ...informal,
  })
  .transform((row, context) => {
    const formal = row.formal_statement ?? row.statement;
    if (formal !== undefined) return { ...row, formal_statement: formal };
    context.addIssue({ code: 'custom', message: 'neither formal_statement nor statement' });
    return z.NEVER;
  });

export const DATASET_FORMATS = ['statements', 'minif2f', 'proofnet', 'putnam-bench', 'lean-workbook', 'plain'] as const;
/** `statements`: our own records. `plain`: any rows with a statement. */
export type DatasetFormat = (typeof DATASET_FORMATS)[number];

export interface RowOptions {
  /** Split of every statement, instead of the row's own. */
  readonly split?: Split | undefined;
  /** Matching weight of every statement; default 1 (STP). */
  readonly weight?: number | undefined;
  /** Header of rows without one; default null, the library header. */
  readonly header?: string | null | undefined;
  /** Treatment of rows with an open answer; default `given`. */
  readonly answers?: Answers | undefined;
  /**
   * Returns why the checker would refuse a header, or null. A refused answer is not filled in. Default: accepts all.
   */
  readonly headerRefusal?: ((header: string) => string | null) | undefined;
  /** Returns why the checker would refuse a statement under its header, or null. Default: accepts all. */
  readonly statementRefusal?: ((statement: string, header: string | null) => string | null) | undefined;
  /** Name of the set, the first label of every statement; if missing, only the row's labels are used. */
  readonly set?: string | undefined;
}

const IMPORTS = /^import\s/mu;

/** `isRefused`: the row is valid, but the checker refuses its statement, so nothing could prove it here. */
export type RowResult = { readonly statement: Statement } | { readonly problem: string; readonly isRefused?: true };

/** Converts a parsed row to a statement, or says why it is not one. Never throws. */
export function rowToStatement(row: unknown, format: DatasetFormat, options: RowOptions): RowResult {
  switch (format) {
    case 'statements':
      return checkedRecord(row, options);
    case 'minif2f':
      return converted(miniF2fRow.safeParse(row), 'train', options);
    case 'proofnet':
      return converted(namedRow.safeParse(row), 'train', options);
    case 'putnam-bench':
      return converted(namedRow.safeParse(row), 'held-out', options);
    case 'lean-workbook':
      return converted(leanWorkbookRow.safeParse(row), 'train', options);
    case 'plain':
      return converted(plainRow.safeParse(row), 'train', options);
  }
}

interface SourceRow {
  readonly formal_statement: string;
  readonly split?: string | null | undefined;
  readonly header?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly weight?: number | undefined;
  readonly informal_prefix?: string | null | undefined;
  readonly informal_stmt?: string | null | undefined;
  readonly natural_language_statement?: string | null | undefined;
}

function converted(parsed: z.ZodSafeParseResult<SourceRow>, otherwise: Split, options: RowOptions): RowResult {
  if (!parsed.success) return { problem: firstIssue(parsed.error) };
  const row = parsed.data;
  // A row that is a whole file contains its imports.
  const given = row.header?.trim() || (IMPORTS.test(row.formal_statement) ? '' : (options.header ?? null));
  const read = rowText(row.formal_statement, given ?? '', options.answers ?? 'given');
  if ('problem' in read) return read;
  const { theorem, above, isAnswered } = read;
  if (given === null && above !== '') return { problem: 'defines something, and has no header with imports' };
  const header = above === '' ? null : above;
  if (header !== null && header.length > HEADER_CHARS_MAX)
    return { problem: `what stands above the theorem is longer than ${HEADER_CHARS_MAX} characters` };
  const refusal = isAnswered ? (options.headerRefusal?.(header!) ?? null) : null;
  if (refusal !== null) return { problem: `its answer is not taken: ${refusal}` };
  const refused = options.statementRefusal?.(theorem.statement, header) ?? null;
  if (refused !== null) return { problem: `the checker refuses the statement: ${refused}`, isRefused: true };
  return checked({
    id: statementId(header, theorem.statement),
    name: theorem.name,
    header,
    statement: theorem.statement,
    split: options.split ?? splitOf(row.split, otherwise),
    labels: [options.set, row.split, ...(row.tags ?? [])].filter((word) => typeof word === 'string'),
    weight: options.weight ?? row.weight ?? 1,
    ...informalOf(row.informal_prefix ?? row.informal_stmt ?? row.natural_language_statement),
  });
}

/** Removes the marks of a doc comment. Drops a text that is too long to show. */
function informalOf(words: string | null | undefined): Pick<Statement, 'informal'> {
  const plain =
    words
      ?.replace(/^\s*\/--?/u, '')
      .replace(/-\/\s*$/u, '')
      .trim() ?? '';
  return plain === '' || plain.length > STATEMENT_CHARS_MAX ? {} : { informal: plain };
}

/** `test` and `bench` are held out, `valid` and `train` are for training; other words get the default. */
function splitOf(word: string | null | undefined, otherwise: Split): Split {
  if (typeof word !== 'string') return otherwise;
  if (/\b(?:test|bench|held-out)\b/iu.test(word)) return 'held-out';
  return /\b(?:valid|validation|train)\b/iu.test(word) ? 'train' : otherwise;
}

function checkedRecord(row: unknown, options: RowOptions): RowResult {
  const parsed = statementSchema.safeParse(row);
  if (!parsed.success) return { problem: firstIssue(parsed.error) };
  const { data } = parsed;
  const taken = { statement: { ...data, split: options.split ?? data.split, weight: options.weight ?? data.weight } };
  if (data.id === wordsId(data.statement)) return taken;
  const theorem = theoremText(data.statement);
  // A record may contain comments.
  if (theorem === null || theorem.statement !== bareText(data.statement)) {
    return { problem: 'statement is not `theorem NAME BINDERS : TYPE`' };
  }
  if (theorem.name !== data.name) return { problem: `name is ${data.name}, the statement's is ${theorem.name}` };
  if (data.id !== statementId(data.header, data.statement)) return { problem: 'id is not the hash of the statement' };
  return taken;
}

function checked(candidate: Statement): RowResult {
  const parsed = statementSchema.safeParse(candidate);
  return parsed.success ? { statement: parsed.data } : { problem: firstIssue(parsed.error) };
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'invalid' : `${issue.path.join('.') || 'row'}: ${issue.message}`;
}
