/**
 * Tests that a run survives the kill of its worker, and of its server with everything else. Each killed run ends like
 * the reference run without faults, with the same lemmas, and repeats no finished shard. Costs about four minutes. Slow
 * tier, alone: six whole runs, two at a time, are killed at moments that must lie within a round.
 *
 * @module-tag slow
 */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { commandLineOf, listProcesses, runMarkOf } from '@stp/base/files';
import { type Summary, summarySchema } from '@stp/config/records';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { metricsAt } from '../../activities/metrics.ts';
import { readMetrics } from '../../infra/monitor/jsonl-monitor.ts';
import { localRunName } from '../../workers/settings.ts';
import { GROWING_RUN, stp } from '../support/stp.ts';

/** Time limit: a test has two whole runs, which took more than three minutes each beside other tests. */
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

let directory: string;
let undisturbed: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-crash-'));
  undisturbed = join(directory, 'undisturbed', 'run');
  const result = await stp(['selfplay', ...GROWING_RUN, '--run-dir', undisturbed]);
  expect(result.exitCode, String(result.all)).toBe(0);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Returns the summary without figures that depend on the machine's speed. */
const summaryOf = async (run: string): Promise<Omit<Summary, 'secondsPerStage' | 'cost'>> => {
  const {
    secondsPerStage: _,
    cost: __,
    ...rest
  } = summarySchema.parse(JSON.parse(await readFile(join(run, 'summary.json'), 'utf8')));
  return { ...rest, rounds: rest.rounds.map((round) => ({ ...round, leanSeconds: 0 })) };
};

/** Reads the objects under `rounds/` that contain no times and no absolute paths: bytes by name. */
async function recordsOf(run: string): Promise<Map<string, string>> {
  const records = new Map<string, string>();
  for (const name of (await readdir(join(run, 'rounds'), { recursive: true })).sort())
    if (/(?:items|samples|conjectures|rates|library)(?:-[0-9a-f]+)?\.jsonl$/.test(name))
      records.set(name, await readFile(join(run, 'rounds', name), 'utf8'));
  return records;
}

/** Counts how often each shard was completely sampled and verified. */
async function shardWork(run: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const { name } of readMetrics(join(run, 'metrics.jsonl')))
    if (/^rounds\/.*\/(?:samples|checks|scripts_tried)$/.test(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Returns the metrics of finished work, which must not be repeated. */
async function finishedWork(run: string): Promise<string[]> {
  const names = await readdir(join(run, 'rounds'), { recursive: true });
  return names.flatMap((name) => {
    const match = /^(.*)\/(sampled|verified)\.json$/.exec(name);
    if (match === null) return [];
    const [, folder = '', done] = match;
    const sampled = folder.endsWith('/scripts') ? 'scripts_tried' : 'samples';
    return metricsAt(`rounds/${folder}`, 0, { [done === 'sampled' ? sampled : 'checks']: 0 }).map(
      (metric) => metric.name,
    );
  });
}

/** Waits until the run has verified one shard of the round and others are left. */
async function untilMidRound(run: string, round: number, running: PromiseLike<{ all?: unknown }>): Promise<void> {
  let end: string | null = null;
  void running.then(({ all }) => {
    end = String(all);
  });
  for (;;) {
    const names = await readdir(join(run, 'rounds'), { recursive: true }).catch(() => []);
    if (names.some((name) => name.startsWith(`${round}-`) && name.endsWith('verified.json'))) return;
    if (end !== null) throw new Error(`round ${round} of ${run} never got under way: ${end}`);
    await sleep(50);
  }
}

/** Returns the processes of this run folder whose command line matches. */
async function processesOf(pattern: RegExp, environment: string): Promise<number[]> {
  const found: number[] = [];
  for (const { pid } of await listProcesses()) {
    const command = (await commandLineOf(pid)) ?? '';
    if (!pattern.test(command)) continue;
    const variables = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (variables.includes(environment) || command.includes(environment)) found.push(pid);
  }
  return found;
}

/** @param finished work that was done before the kill, and must still be done only once */
async function expectSameAsUndisturbed(run: string, finished: readonly string[]): Promise<void> {
  expect(await summaryOf(run)).toEqual(await summaryOf(undisturbed));
  expect(await recordsOf(run)).toEqual(await recordsOf(undisturbed));
  const work = await shardWork(run);
  expect(finished.length).toBeGreaterThan(1);
  expect(finished.map((name) => [name, work.get(name)])).toEqual(finished.map((name) => [name, 1]));
}

it.concurrent('leaves a folder that holds what it should', async () => {
  const summary = await summaryOf(undisturbed);
  expect(summary.samples).toBeGreaterThan(0);
  expect(await readdir(undisturbed)).toEqual(
    expect.arrayContaining([
      'report.html',
      'config.json',
      'summary.json',
      'proofs.lean',
      'checkpoints',
      'rounds',
      'metrics.jsonl',
    ]),
  );
  const ofConjectures = [...(await recordsOf(undisturbed))].filter(([name]) => /statements\/library/u.test(name));
  expect(ofConjectures).toHaveLength(1);
  expect(ofConjectures[0]![1]).toContain('"origin":"conjecture"');
  const check = await stp(['check', '--json', join(undisturbed, 'proofs.lean')]);
  expect(check.exitCode, String(check.all)).toBe(0);
});

it.concurrent('ends the same after its worker was killed in the middle of a round', async () => {
  const parent = join(directory, 'worker');
  const run = join(parent, 'run');
  const running = stp(['selfplay', ...GROWING_RUN, '--run-dir', run]);
  await untilMidRound(run, 0, running);
  const workers = await processesOf(/workers\/dev\.ts/, parent);
  expect(workers).toHaveLength(1);
  const finished = await finishedWork(run);
  process.kill(workers[0]!, 'SIGKILL');
  const result = await running;
  expect(result.exitCode, String(result.all)).toBe(0);
  expect(result.all).toContain('it is started again');
  await expectSameAsUndisturbed(run, finished);
});

it.concurrent('ends the same after the server was killed, and says how to go on', async () => {
  const run = join(directory, 'server', 'run');
  const first = stp(['selfplay', ...GROWING_RUN, '--run-dir', run]);
  await untilMidRound(run, 0, first);
  const servers = await processesOf(/server start-dev/, run);
  expect(servers).toHaveLength(1);
  const finished = await finishedWork(run);
  process.kill(servers[0]!, 'SIGKILL');
  const stopped = await first;
  expect(stopped.exitCode).toBe(1);
  expect(stopped.all).toContain(`--run-dir ${run}`);
  const second = await stp(['selfplay', ...GROWING_RUN, '--run-dir', run]);
  expect(second.exitCode, String(second.all)).toBe(0);
  expect(second.all).toContain('taking up the run');
  await expectSameAsUndisturbed(run, finished);
});

it.concurrent('ends the same after everything was killed at once, and leaves no process behind', async () => {
  const parent = join(directory, 'all');
  const run = join(parent, 'run');
  const first = stp(['selfplay', ...GROWING_RUN, '--run-dir', run]);
  await untilMidRound(run, 1, first);
  const finished = await finishedWork(run);
  first.kill('SIGKILL');
  await first;
  const second = await stp(['selfplay', ...GROWING_RUN, '--run-dir', run]);
  expect(second.exitCode, String(second.all)).toBe(0);
  await expectSameAsUndisturbed(run, finished);
  const left: number[] = [];
  for (const { pid } of await listProcesses())
    if ((await runMarkOf(pid))?.run === localRunName(pathToFileURL(parent).href, 'run')) left.push(pid);
  expect(left).toEqual([]);
  expect(await processesOf(/workers\/dev\.ts|server start-dev/, parent)).toEqual([]);
});
