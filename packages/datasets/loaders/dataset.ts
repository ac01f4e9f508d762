/**
 * Reads dataset files into statements, one row at a time: JSON Lines or one JSON array (first character `[`), both
 * streamed. `formats.ts` interprets the rows.
 */
import { open } from 'node:fs/promises';
import { StpError } from '@stp/base';
import { LINE_BYTES_MAX, readJsonArray, readLines, unreadable } from '@stp/base/files';
import type { Statement } from '@stp/config/records';
import { type DatasetFormat, type RowOptions, rowToStatement } from './formats.ts';

/** Maximum number of skipped rows that a report names; further ones are only counted. */
export const SKIPPED_ROWS_NAMED_MAX = 100;
/** Maximum number of reasons with separate counts. */
const REASONS_MAX = 20;

export interface DatasetOptions extends RowOptions {
  readonly format: DatasetFormat;
  /** Skip and report rows that are no theorem; otherwise the first one is an error. */
  readonly skipInvalid?: boolean;
}

/** Complete once `statements` has been read to its end. */
export interface DatasetReport {
  rows: number;
  statements: number;
  skipped: number;
  /** Number of skipped rows by reason; later reasons share one count. */
  readonly skippedFor: Record<string, number>;
  /** `file:line: reason` of the first skipped rows; in an array, `file:line row N: reason`. */
  readonly skippedRows: string[];
}

export interface Dataset {
  readonly statements: AsyncIterable<Statement>;
  readonly report: DatasetReport;
}

/**
 * Opens a dataset; `statements` yields its statements in file order and can be read once. Reading throws STP1501 with
 * file and line for a row that is no statement (unless `skipInvalid`, or the checker refuses its statement), STP1405 if
 * the file cannot be read.
 */
export function readDataset(path: string, options: DatasetOptions): Dataset {
  const report: DatasetReport = { rows: 0, statements: 0, skipped: 0, skippedFor: {}, skippedRows: [] };
  return { statements: statementsOf(path, options, report), report };
}

/** Reads our own `statements.jsonl`, and checks the schema, name and id of every record. */
export function readStatements(path: string): AsyncIterable<Statement> {
  return readDataset(path, { format: 'statements' }).statements;
}

async function* statementsOf(path: string, options: DatasetOptions, report: DatasetReport): AsyncGenerator<Statement> {
  const rows = (await startsAsArray(path)) ? arrayRows(path) : lineRows(path);
  for await (const row of rows) {
    report.rows += 1;
    const result = 'problem' in row ? row : rowToStatement(row.value, options.format, options);
    if ('statement' in result) {
      report.statements += 1;
      yield result.statement;
    } else if (options.skipInvalid === true || ('isRefused' in result && result.isRefused)) {
      report.skipped += 1;
      countReason(report.skippedFor, result.problem);
      if (report.skippedRows.length < SKIPPED_ROWS_NAMED_MAX)
        report.skippedRows.push(`${row.where}: ${result.problem}`);
    } else {
      throw new StpError(
        'STP1501',
        `${row.where}: ${result.problem}`,
        'Correct the row, choose the right format, or leave such rows out with skipInvalid.',
        { facts: { where: row.where, format: options.format } },
      );
    }
  }
}

function countReason(counts: Record<string, number>, problem: string): void {
  const isNamed = Object.hasOwn(counts, problem) || Object.keys(counts).length < REASONS_MAX;
  const reason = isNamed ? problem : 'other reasons';
  counts[reason] = (counts[reason] ?? 0) + 1;
}

type Row = { readonly where: string } & ({ readonly value: unknown } | { readonly problem: string });

async function* lineRows(path: string): AsyncGenerator<Row> {
  for await (const { line, text } of readLines(path)) yield parsed(`${path}:${line}`, text);
}

async function* arrayRows(path: string): AsyncGenerator<Row> {
  for await (const { row, line, text } of readJsonArray(path, LINE_BYTES_MAX))
    yield parsed(`${path}:${line} row ${row}`, text);
}

function parsed(where: string, text: string): Row {
  try {
    return { where, value: JSON.parse(text) };
  } catch (cause) {
    return { where, problem: `not JSON (${cause instanceof Error ? cause.message : String(cause)})` };
  }
}

async function startsAsArray(path: string): Promise<boolean> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
      return buffer.subarray(0, bytesRead).toString('utf8').trimStart().startsWith('[');
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw unreadable(path, cause);
  }
}
