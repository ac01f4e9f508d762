/**
 * veRL's rows (Parquet): a prompt, and in `reward_model` and `extra_info` the data for a judge, under the names that
 * LLMProofs reads. Generated answers are in a column `responses`, as veRL's generation writes them.
 */
import { readFile, stat } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Grading, PROBLEM_CHARS_MAX, scaleSchema } from '@stp/config/records';
import { type Compressors, parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import { z } from 'zod';
import { issueOf } from '../questions/question.ts';
import { scaleOf } from '../scale.ts';
import type { Item } from './item.ts';

const FILE_BYTES_MAX = 2 ** 30;

/** The reader supports Snappy itself. */
const compressors: Compressors = {
  GZIP: (input) => gunzipSync(input),
  ZSTD: (input) => zstdDecompressSync(input),
  BROTLI: (input) => brotliDecompressSync(input),
};

const text = z.string().max(PROBLEM_CHARS_MAX).nullish();
const idOrNumber = z.union([z.string(), z.number(), z.bigint()]).nullish();
const points = z.union([z.number(), z.bigint()]).nullish();

const rowSchema = z.object({
  data_source: z.string().nullish(),
  prompt: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
  reward_model: z
    .object({
      style: text,
      ground_truth: text,
      rubric: text,
      rubric_text: text,
      problem_statement: text,
      reference_solution: text,
      max_score: points,
      max_points: points,
    })
    .nullish(),
  extra_info: z
    .object({
      split: text,
      index: idOrNumber,
      question_id: idOrNumber,
      problem_id: idOrNumber,
      prompt_id: idOrNumber,
      id: idOrNumber,
      problem_statement: text,
      problem: text,
      rubric: text,
      rubric_text: text,
      max_score: points,
      max_points: points,
    })
    .nullish(),
  responses: z.array(z.string()).nullish(),
});
type Row = z.infer<typeof rowSchema>;

/** Returns the items in order, one for each response or for a row without responses; or the first fault of the file. */
export async function verlItems(path: string): Promise<Item[] | string> {
  const { size } = await stat(path);
  if (size > FILE_BYTES_MAX) return `it is larger than ${FILE_BYTES_MAX} bytes`;
  const bytes = await readFile(path);
  let rows: unknown[];
  try {
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    rows = await parquetReadObjects({ file, compressors });
  } catch (error) {
    return `it cannot be read as Parquet: ${(error as Error).message}`;
  }
  const items: Item[] = [];
  for (const [at, row] of rows.entries()) {
    const parsed = rowSchema.safeParse(row);
    if (!parsed.success) return `row ${at + 1}: ${issueOf(parsed.error)}`;
    const read = itemsOf(parsed.data, at);
    if (typeof read === 'string') return `row ${at + 1}: ${read}`;
    items.push(...read);
  }
  return items;
}

function itemsOf(row: Row, at: number): Item[] | string {
  const { data_source: source, prompt, reward_model: model, extra_info: extra, responses } = row;
  const problem =
    model?.problem_statement ||
    extra?.problem_statement ||
    extra?.problem ||
    prompt.findLast(({ role }) => role === 'user')?.content;
  if (!problem) return 'prompt: it has no message of the user';
  const max = model?.max_score ?? model?.max_points ?? extra?.max_score ?? extra?.max_points;
  const scale = max === null || max === undefined ? undefined : scaleSchema.safeParse(`0-${max}`);
  if (scale?.success === false) return `max_score: ${max} is the maximum of no scale`;
  const rubric = model?.rubric || model?.rubric_text || extra?.rubric || extra?.rubric_text;
  const reference = model?.reference_solution || model?.ground_truth;
  const grading: Grading = {
    ...(scale === undefined ? {} : { scale: scale.data }),
    ...(rubric ? { rubric } : {}),
    ...(reference ? { reference } : {}),
  };
  const named = extra?.question_id ?? extra?.problem_id ?? extra?.prompt_id ?? extra?.id;
  const index = extra?.index ?? at;
  const problemId = String(named ?? `${extra?.split ?? 'train'}::${index}`);
  const common = { problemId, set: source || 'verl', problem, grading, human: null, automatic: null };
  const split = extra?.split ? (extra.split === 'train' ? ('train' as const) : ('held-out' as const)) : null;
  if (!responses) return [{ ...common, id: problemId, answer: null, split }];
  return responses.map((answer, copy) => ({ ...common, id: `${problemId}/${copy}`, answer, split }));
}

const string = (name: string): SchemaElement => ({
  name,
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  repetition_type: 'OPTIONAL',
});
const int64 = (name: string): SchemaElement => ({ name, type: 'INT64', repetition_type: 'OPTIONAL' });
const struct = (name: string, fields: readonly SchemaElement[]): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', num_children: fields.length },
  ...fields,
];
const list = (name: string, element: readonly SchemaElement[]): SchemaElement[] => [
  { name, converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ...element,
];

const COLUMNS: Readonly<Record<string, readonly SchemaElement[]>> = {
  data_source: [string('data_source')],
  prompt: list('prompt', struct('element', [string('role'), string('content')])),
  ability: [string('ability')],
  reward_model: struct('reward_model', [
    ...['style', 'ground_truth', 'rubric', 'problem_statement', 'reference_solution'].map(string),
    int64('max_score'),
  ]),
  extra_info: struct('extra_info', [string('split'), int64('index'), string('problem_id')]),
  responses: list('responses', [string('element')]),
};

/** Writes a row for each problem. Without answers the column for them is left out. */
export function verlFile(items: readonly Item[]): Buffer {
  const problems = [...Map.groupBy(items, ({ problemId }) => problemId)];
  const rows = problems.map(([problemId, its], index) => {
    const { set, problem, grading, split } = its[0]!;
    const { scale, rubric = null, reference = null } = grading;
    return {
      data_source: set,
      prompt: [{ role: 'user', content: problem }],
      ability: 'math',
      reward_model: {
        style: 'llm_judge',
        ground_truth: reference ?? '',
        rubric,
        problem_statement: problem,
        reference_solution: reference,
        max_score: scale === undefined ? null : BigInt(scaleOf(scale).max),
      },
      extra_info: { split: split === 'held-out' ? 'test' : 'train', index: BigInt(index), problem_id: problemId },
      responses: its.flatMap(({ answer }) => (answer === null ? [] : [answer])),
    };
  });
  const hasAnswers = rows.some(({ responses }) => responses.length > 0);
  const names = Object.keys(COLUMNS).filter((name) => hasAnswers || name !== 'responses') as (keyof (typeof rows)[0])[];
  const buffer = parquetWriteBuffer({
    schema: [{ name: 'root', num_children: names.length }, ...names.flatMap((name) => COLUMNS[name]!)],
    columnData: names.map((name) => ({ name, data: rows.map((row) => row[name]) })),
    statistics: false,
  });
  return Buffer.from(buffer);
}
