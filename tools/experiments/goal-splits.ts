/** The statements that searches are compared on, their splits by module, and the table of shares proved. */
import { orderKey, randomStream } from '@stp/selfplay';
import { spreadOf } from './curves.ts';
import type { Found, Statement } from './goal-scorers.ts';

/** Share of the statements that a seed holds out, by whole modules. */
const HELD_OUT_SHARE = 0.35;

/** The first statements in an order that the count does not change; those under one header stand together. */
export async function chosen(
  all: AsyncIterable<{
    id: string;
    name: string;
    header: string | null;
    statement: string;
    split: string;
    labels: readonly string[];
  }>,
  count: number,
): Promise<Statement[]> {
  const rows = await Array.fromAsync(all);
  const order = (id: string): string => orderKey('action-record', id);
  rows.sort((one, other) => (order(one.id) < order(other.id) ? -1 : 1));
  const some = rows
    .slice(0, count)
    .map(({ id, name, header, statement, labels }) => ({ id, name, header, statement, labels }));
  return some.sort((one, other) => ((one.header ?? '') < (other.header ?? '') ? -1 : 1));
}

export function splitByModule(all: readonly Statement[], seed: number): { train: Statement[]; heldOut: Statement[] } {
  const moduleOf = ({ labels }: Statement): string => labels[2] ?? labels[0] ?? '';
  const modules = randomStream('order-replay', seed).shuffle([...new Set(all.map(moduleOf))].sort());
  const held = new Set<string>();
  let count = 0;
  for (const module of modules) {
    const size = all.filter((one) => moduleOf(one) === module).length;
    if (count + size > HELD_OUT_SHARE * all.length) continue;
    held.add(module);
    count += size;
  }
  return {
    train: all.filter((one) => !held.has(moduleOf(one))),
    heldOut: all.filter((one) => held.has(moduleOf(one))),
  };
}

/** Markdown: shares proved within some seconds of Lean a statement; mean and spread over splits. */
export function tableOf(
  results: ReadonlyMap<string, readonly { train: Found[]; heldOut: Found[] }[]>,
  seconds: readonly number[],
): string {
  const share = (found: readonly Found[], at: number): number =>
    (100 * found.filter(({ atMs }) => atMs !== null && atMs <= at * 1_000).length) / Math.max(1, found.length);
  const cell = (values: readonly number[]): string => {
    const { mean, deviation } = spreadOf(values);
    return `${mean.toFixed(1)} ± ${deviation.toFixed(1)}`;
  };
  const parts = ['train', 'heldOut'] as const;
  const columns = parts.flatMap((part) => seconds.map((at) => ({ part, at })));
  const valuesOf = (row: string, { part, at }: (typeof columns)[number]): number[] =>
    results.get(row)!.map((one) => share(one[part], at));
  const lines = [...results.keys()].map(
    (row) => `| ${row} | ${columns.map((column) => cell(valuesOf(row, column))).join(' | ')} |`,
  );
  const difference = columns.map((column) => {
    const fixed = valuesOf('search, fixed', column);
    return cell(valuesOf('search, learned', column).map((value, at) => value - fixed[at]!));
  });
  return [
    `| row | ${columns.map(({ part, at }) => `${part === 'train' ? 'training' : 'held-out modules'}, ${at} s`).join(' | ')} |`,
    `|${'---|'.repeat(columns.length + 1)}`,
    ...lines,
    `| learned over fixed | ${difference.join(' | ')} |`,
  ].join('\n');
}
