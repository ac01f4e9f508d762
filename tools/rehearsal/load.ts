/** Load on the Lean service of an installation: what its clients got, and what memory it took meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from './installation.ts';
import { SEEN_NODE, SEEN_REPOSITORY } from './places.ts';

export interface LoadFigures {
  right: number;
  /** Texts on which the verdict was not the known one. */
  wrong: string[];
  /** How often there was no verdict, by the reason: a time-out, a broken connection, a check that ended otherwise. */
  none: Record<string, number>;
  /** 429 and 503. */
  refused: number;
  /** What came of texts on which Lean dies, by outcome. */
  deadly: Record<string, number>;
  hungUp: number;
  garbage: number;
  /** Garbage that was answered as a request. */
  garbageTaken: number;
  p50Ms: number;
  p99Ms: number;
}

const SAMPLE_MS = 5_000;

export async function loadLean(installation: Installation, clients: number, seconds: number): Promise<string> {
  const machine = installation.machine('lean');
  const script = `${SEEN_REPOSITORY}/tools/rehearsal/load-main.ts`;
  let isOver = false;
  const asking = installation
    .onControl(SEEN_NODE, [script, installation.leanUrl, String(clients), String(seconds)])
    .finally(() => {
      isOver = true;
    });
  const megabytes: number[] = [];
  while (!isOver) {
    megabytes.push(Math.round((await machine.residentBytes()) / 1e6));
    await Promise.race([sleep(SAMPLE_MS), asking.catch(() => undefined)]);
  }
  const figures = JSON.parse(String((await asking).stdout)) as LoadFigures;
  const count = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, one) => sum + one, 0);
  const row = [
    ...[clients, seconds, figures.right, figures.wrong.length, count(figures.none), figures.refused, figures.hungUp],
    `${figures.garbage} (${figures.garbageTaken})`,
    count(figures.deadly),
    `${(figures.p50Ms / 1_000).toFixed(1)} s`,
    `${(figures.p99Ms / 1_000).toFixed(1)} s`,
    `${megabytes[0]} MB`,
    quarters(megabytes)
      .map((part) => `${part.toSorted((a, b) => a - b)[Math.floor(part.length / 2)]} (${Math.max(...part)})`)
      .join(', '),
  ];
  return [
    '| clients | seconds | right | wrong | no verdict | 429 or 503 | hung up | garbage (taken) | ended Lean | p50 | p99 | memory at first | MB by quarters: median (most) |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|',
    `| ${row.join(' | ')} |`,
    ...Object.entries(figures.none).map(([why, times]) => `no verdict, ${times} times: ${why}`),
    ...Object.entries(figures.deadly).map(([outcome, times]) => `ended Lean, ${times} times: ${outcome}`),
    ...figures.wrong.map((text) => `wrong: \`${text}\``),
    '',
  ].join('\n');
}

const quarters = (values: readonly number[]): number[][] =>
  [0, 1, 2, 3].map((part) =>
    values.slice(Math.floor((part * values.length) / 4), Math.floor(((part + 1) * values.length) / 4)),
  );
