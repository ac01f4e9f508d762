/**
 * Writes metrics as one JSON object per line, appended. A line goes to the file in one write and ends in a line feed,
 * so a killed process leaves whole lines, or one torn line; the next opening ends that line, and reading skips it.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { describeIssues, StpError } from '@stp/base';
import { z } from 'zod';
import { type Metric, type Monitor, metricNameSchema, metricSchema } from './monitor.ts';

/** JSON has no NaN and no infinities; they are written as these words. */
const WORDS = ['NaN', 'Infinity', '-Infinity'] as const;

const lineSchema = z.strictObject({
  at: z.iso.datetime(),
  name: metricNameSchema,
  step: z.number().int().nonnegative(),
  value: z.union([z.number(), z.enum(WORDS)]),
});

export type LoggedMetric = Metric & { readonly at: string };

/**
 * Opens the file for appending and creates it with its folders if necessary. Throws STP1401 if it cannot be written.
 */
export async function openJsonlMonitor(path: string): Promise<Monitor> {
  const file = await openForAppending(path);
  let ended = false;
  // Appends are sequential, so the lines of one call stay together.
  let last: Promise<void> = Promise.resolve();

  return {
    async log(metrics) {
      if (ended) throw new StpError('STP1002', 'the monitor is finalised already', 'Log before finalising.');
      const at = new Date().toISOString();
      const lines = metrics.map((metric) => `${metricLine(metric, at)}\n`);
      if (lines.length === 0) return;
      const write = last.then(async () => {
        await file.appendFile(lines.join('')).catch((error: Error) => {
          throw cannotWrite(path, error);
        });
      });
      last = write.catch(() => {});
      await write;
    },
    async finalise() {
      if (ended) return;
      ended = true;
      await last;
      await file.sync();
      await file.close();
    },
  };
}

/** Yields the metrics of a file in order; lines torn by a crash are left out. */
export async function* readMetrics(path: string): AsyncGenerator<LoggedMetric> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    const metric = readMetricLine(line);
    if (metric !== null) yield metric;
  }
}

/** Returns a metric as one line. Throws STP1002 for an invalid metric. */
export function metricLine(metric: Metric, at: string): string {
  const checked = metricSchema.safeParse(metric);
  if (!checked.success)
    throw new StpError(
      'STP1002',
      `metric ${JSON.stringify(metric)}: ${describeIssues(checked.error)}`,
      'Name metrics in lower-case slash groups, such as train/loss, with whole steps from 0.',
    );
  const { name, step, value } = checked.data;
  return JSON.stringify({ at, name, step, value: Number.isFinite(value) ? value : String(value) });
}

/** Returns null for a line without a complete metric. */
export function readMetricLine(line: string): LoggedMetric | null {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(line));
    return parsed.success ? { ...parsed.data, value: Number(parsed.data.value) } : null;
  } catch {
    return null;
  }
}

async function openForAppending(path: string) {
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, 'a+');
    const { size } = await file.stat();
    const end = Buffer.alloc(1);
    if (size > 0) {
      await file.read(end, 0, 1, size - 1);
      if (end.toString() !== '\n') await file.appendFile('\n');
    }
    return file;
  } catch (error) {
    throw cannotWrite(path, error as Error);
  }
}

function cannotWrite(path: string, error: Error): StpError {
  return new StpError(
    'STP1401',
    `metrics file ${path}: ${error.message}`,
    'Check free space and the rights on the folder.',
    {
      facts: { path },
      cause: error,
    },
  );
}
