/**
 * Prepares a problem set: rows of a dataset file become `statements.jsonl` and a card, in a folder that a run can name.
 * Rows are streamed; memory holds only ids and names.
 */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { StpError } from '@stp/base';
import { statementId } from '@stp/config/ids';
import type { Split, Statement } from '@stp/config/records';
import { ownDefinitions } from '@stp/lean-text';
import type { Answers } from '../loaders/answers.ts';
import { type DatasetReport, readDataset } from '../loaders/dataset.ts';
import { writeFolder } from './folder.ts';
import { fileSha256, writeLines } from './line-file.ts';
import type { PublicSet } from './public-sets.ts';

export interface ProblemSetRequest {
  readonly name: string;
  /** Dataset file: JSON Lines or one JSON array. */
  readonly input: string;
  /** Folder that becomes the set. */
  readonly folder: string;
  readonly source: PublicSet;
  /** Keep only rows whose own split is this word (`valid`, `test`); null: keep all. */
  readonly splitWord: string | null;
  /** Split of every statement, instead of the row's own. */
  readonly split?: Split | undefined;
  readonly header?: string | undefined;
  readonly weight?: number | undefined;
  readonly skipInvalid?: boolean | undefined;
  /** Treatment of rows with an open answer; default `given`. */
  readonly answers?: Answers | undefined;
  /** Returns why the checker would refuse a file with this header, or null. */
  readonly headerRefusal: (header: string) => string | null;
  /** Returns why the checker would refuse a statement under its header, or null. Refused rows are dropped. */
  readonly statementRefusal: (statement: string, header: string | null) => string | null;
  readonly replace: boolean;
}

export interface ProblemSetReport extends Pick<DatasetReport, 'rows' | 'skipped' | 'skippedFor' | 'skippedRows'> {
  readonly name: string;
  readonly folder: string;
  readonly train: number;
  readonly heldOut: number;
  /** Rows of another split than the requested one. */
  readonly otherSplit: number;
  /** Rows with the statement of an earlier row, under any name. */
  readonly repeated: number;
  /** Statements that were renamed because an earlier one had the same name. */
  readonly renamed: number;
  /**
   * Statements whose header the checker refuses (it declares more than definitions). They are kept but cannot be
   * proved here.
   */
  readonly refusedHeaders: number;
  /** Statements with definitions of their own. */
  readonly withDefinitions: number;
}

/**
 * Writes the set. Throws STP1501 for a bad row with its line (unless bad rows are skipped) and for a set without
 * statements, STP1405 for an unreadable file, STP1002 if the set exists already.
 */
export async function prepareProblemSet(request: ProblemSetRequest): Promise<ProblemSetReport> {
  const { name, source, folder } = request;
  const { statements, report } = readDataset(request.input, {
    format: source.format,
    set: name,
    header: request.header ?? source.header,
    skipInvalid: request.skipInvalid ?? source.skipInvalid,
    split: request.split,
    weight: request.weight,
    answers: request.answers,
    headerRefusal: request.headerRefusal,
    statementRefusal: request.statementRefusal,
  });
  const counts = {
    train: 0,
    heldOut: 0,
    otherSplit: 0,
    repeated: 0,
    renamed: 0,
    refusedHeaders: 0,
    withDefinitions: 0,
  };
  const taken = new Map<string | null, boolean>([[null, true]]);
  async function* kept(): AsyncGenerator<Statement> {
    const ids = new Set<string>();
    const names = new Set<string>();
    for await (const statement of statements) {
      if (request.splitWord !== null && !hasWord(statement.labels[1], request.splitWord)) counts.otherSplit += 1;
      else if (ids.has(statement.id)) counts.repeated += 1;
      else {
        const own = names.has(statement.name) ? renamed(statement, names) : statement;
        if (own !== statement) counts.renamed += 1;
        const { header } = own;
        if (header !== null && !taken.has(header)) taken.set(header, request.headerRefusal(header) === null);
        if (taken.get(header) === false) counts.refusedHeaders += 1;
        if (ownDefinitions(header).length > 0) counts.withDefinitions += 1;
        counts[own.split === 'train' ? 'train' : 'heldOut'] += 1;
        ids.add(own.id);
        names.add(own.name);
        yield own;
      }
    }
  }
  return writeFolder(folder, request.replace, async (partial) => {
    await writeLines(partial, 'statements.jsonl', kept());
    if (counts.train + counts.heldOut === 0)
      throw new StpError(
        'STP1501',
        [
          `${request.input}: ${report.rows} rows, and none of them is a statement of the set`,
          ...report.skippedRows.slice(0, 1),
        ].join('; '),
        request.splitWord === null ? 'Is it the format you named?' : `Is "${request.splitWord}" a word of its splits?`,
      );
    const { rows, skipped, skippedFor, skippedRows } = report;
    const result = { name, folder, rows, skipped, skippedFor, skippedRows, ...counts };
    await writeFile(join(partial, 'card.md'), card(request, result, await fileSha256(request.input)));
    return result;
  });
}

function hasWord(text = '', word: string): boolean {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return words.includes(word.toLowerCase());
}

/**
 * Renames the statement to the first free name of `NAME_2`, `NAME_3`, … or `«NAME_2»`, …; its id does not depend on
 * the name.
 */
function renamed(statement: Statement, names: ReadonlySet<string>): Statement {
  const [stem, end] = statement.name.endsWith('»') ? [statement.name.slice(0, -1), '»'] : [statement.name, ''];
  let count = 2;
  while (names.has(`${stem}_${count}${end}`)) count += 1;
  const name = `${stem}_${count}${end}`;
  const text = `theorem ${name}${statement.statement.slice('theorem '.length).trimStart().slice(statement.name.length)}`;
  return { ...statement, name, statement: text, id: statementId(statement.header, text) };
}

function card(request: ProblemSetRequest, report: ProblemSetReport, sha256: string): string {
  const left = [
    `${report.skipped} rows that are not used`,
    `${report.repeated} that repeat an earlier statement`,
    ...(request.splitWord === null ? [] : [`${report.otherSplit} of another split than “${request.splitWord}”`]),
  ];
  return [
    `# ${request.name}`,
    '',
    request.source.about,
    '',
    `- **Source**: ${basename(request.input)}, SHA-256 ${sha256}, ${report.rows} rows.`,
    `- **Licence**: ${request.source.licence}`,
    `- **Count**: ${report.train + report.heldOut}; ${report.train} train, ${report.heldOut} held out.`,
    `- **Left out**: ${left.join(', ')}.`,
    `- **Renamed**, since an earlier statement had the name: ${report.renamed}.`,
    `- **Under a header that the checker refuses**, kept but not provable here: ${report.refusedHeaders}.`,
    `- **With definitions of their own**: ${report.withDefinitions}.`,
    `- **Matching weight**: ${request.weight ?? 'the row’s own, else 1'}.`,
    '',
    'Statements are the text before the proof, without comments; STP cuts at the last `sorry`. What stands above the',
    'theorem is their header; an answer that a row gives in a comment stands in it.',
    '',
    ...Object.entries(report.skippedFor).map(([reason, count]) => `- left out, ${count}: ${reason}`),
    '',
    ...report.skippedRows.map((row) => `- left out: ${row.slice(row.lastIndexOf('/') + 1)}`),
    '',
  ].join('\n');
}
