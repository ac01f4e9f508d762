/**
 * Trackers behind the monitor, with a stand-in for MLflow that goes down and comes back, and processes that are killed. The
 * real MLflow, TensorBoard and Weights & Biases are met by test/python/tracking.process.test.ts. About 5 s.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Monitor } from '../../../infra/monitor/monitor.ts';
import { TRACKED_METRICS, trackedName } from '../../../infra/monitor/tracked-metrics.ts';
import { takeUpOutboxes, trackingMonitor } from '../../../infra/monitor/trackers/open-trackers.ts';
import { Outbox } from '../../../infra/monitor/trackers/outbox.ts';
import { requireTrackers, trackerSettings } from '../../../infra/monitor/trackers/settings.ts';
import { type Entry, readLinks, type TrackedRun } from '../../../infra/monitor/trackers/tracker.ts';
import { openStore } from '../../../infra/stores/open-store.ts';
import { type FakeMlflow, startFakeMlflow } from '../../fakes/mlflow.ts';

/** Processes, each of which takes as long as the machine has it take. */
vi.setConfig({ testTimeout: 120_000 });

let fake: FakeMlflow;
afterEach(async () => {
  await fake?.close();
});

async function setUp() {
  fake = await startFakeMlflow();
  const folder = await mkdtemp(join(tmpdir(), 'stp-trackers-'));
  const storeUri = pathToFileURL(join(folder, 'runs')).href;
  const store = await openStore(`${storeUri}/demo`);
  const run: TrackedRun = { run: 'demo', id: 'demo-1234', store, parameters: { seed: '3', preset: 'smoke' } };
  const settings = trackerSettings({ MLFLOW_TRACKING_URI: fake.url }, folder);
  return { folder, run, at: { directory: join(folder, 'tracking'), storeUri, settings } };
}

const round = (step: number): { name: string; step: number; value: number } => ({
  name: 'round/proved',
  step,
  value: 10 + step,
});
const kept = (name: string): unknown[] => fake.runs[0]?.metrics.filter(({ key }) => key === name) ?? [];

describe('MLflow', () => {
  it('gets a run with its values, metrics under their names, files and the end', async () => {
    const { run, at } = await setUp();
    await run.store.put('report.html', '<p>report</p>');
    await run.store.put('report/losses.csv', 'a,b\n');
    const monitor = await trackingMonitor(['mlflow'], run, at);
    await monitor.log([
      round(0),
      { name: 'checkpoints/round_1/loss', step: 7, value: Number.NaN },
      { name: 'rounds/1_3fa9/shard_0001/samples', step: 0, value: 5 },
    ]);
    await monitor.conclude!({ status: 'finished', objects: ['report.html', 'report/losses.csv', 'not-there.txt'] });
    await monitor.finalise();
    expect(fake.runs).toHaveLength(1);
    expect(fake.runs[0]).toMatchObject({
      tags: { 'stp.run': 'demo-1234' },
      params: { seed: '3', preset: 'smoke' },
      metrics: [
        { key: 'round/proved', step: 0, value: 10 },
        { key: 'training/round_1/loss', step: 7, value: 'NaN' },
      ],
      files: { 'report.html': '<p>report</p>', 'report/losses.csv': 'a,b\n' },
      status: 'FINISHED',
    });
    expect(await readLinks(run.store)).toEqual([
      expect.objectContaining({ tracker: 'mlflow', url: `${fake.url}/#/experiments/1/runs/run1` }),
    ]);
    expect(await readdir(at.directory)).toEqual([]);
  });

  it('has one run for all processes of a run, at the same time and one after the other', async () => {
    const { run, at } = await setUp();
    const both = await Promise.all([1, 2].map(() => trackingMonitor(['mlflow'], run, at)));
    await Promise.all(both.map((monitor, step) => monitor.log([round(step)])));
    await Promise.all(both.map((monitor) => monitor.finalise()));
    const later = await trackingMonitor(['mlflow'], run, at);
    await later.log([round(2)]);
    await later.finalise();
    const open = fake.runs.filter(({ isDeleted }) => !isDeleted);
    expect(open).toHaveLength(1);
    expect(open[0]!.metrics.map(({ step }) => step).sort()).toEqual([0, 1, 2]);
    expect(open[0]!.status).toBe('RUNNING');
  });

  it('holds nobody up while it is down, and gets all of it later', async () => {
    const { run, at } = await setUp();
    fake.down = 503;
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const monitor = await trackingMonitor(['mlflow'], run, at);
    for (let step = 0; step < 50; step += 1) await monitor.log([round(step)]);
    await expect.poll(() => said.mock.calls.length).toBeGreaterThan(0);
    expect(said.mock.calls).toEqual([[expect.stringContaining('mlflow takes nothing now, metrics wait')]]);
    fake.down = null;
    await expect.poll(() => kept('round/proved').length).toBe(50);
    expect(kept('round/proved')).toEqual(Array.from({ length: 50 }, (_, step) => expectedMetric(step)));
    await monitor.finalise();
    said.mockRestore();
  });

  it('gets what a killed process could not send from the next one on the machine', async () => {
    const { run, at } = await setUp();
    fake.down = 503;
    const modules = new URL('../../../infra/', import.meta.url).href;
    const script = `
      import { trackingMonitor } from '${modules}monitor/trackers/open-trackers.ts';
      import { openStore } from '${modules}stores/open-store.ts';
      const run = { run: 'demo', id: 'demo-1234', parameters: {}, store: await openStore('${run.store.root}') };
      const monitor = await trackingMonitor(['mlflow'], run, ${JSON.stringify(at)});
      await monitor.log([{ name: 'round/proved', step: 0, value: 10 }, { name: 'round/proved', step: 1, value: 11 }]);
      console.log('logged');
      setInterval(() => {}, 1_000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    const [left] = await readdir(at.directory);
    // A line that the kill has torn is none.
    await execa('sh', ['-c', `printf '{"at":"2026' >> '${join(at.directory, left!, 'entries.jsonl')}'`]);
    fake.down = null;
    const [one, two] = await Promise.all([1, 2].map(() => takeUpOutboxes(at, async () => run)));
    await expect.poll(() => kept('round/proved').length).toBe(2);
    await one!.close();
    await two!.close();
    expect(await readdir(at.directory)).toEqual([]);
  });

  it('leaves out what the server will never take, and goes on', async () => {
    const { run, at } = await setUp();
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const long = { ...run, parameters: Object.fromEntries(Array.from({ length: 230 }, (_, n) => [`p${n}`, 'v'])) };
    const monitor = await trackingMonitor(['mlflow'], long, at);
    await monitor.log([round(0)]);
    await expect.poll(() => kept('round/proved').length).toBe(1);
    expect(Object.keys(fake.runs[0]!.params)).toHaveLength(230);
    fake.down = 400;
    await monitor.log([round(1)]);
    await expect.poll(() => said.mock.calls.length).toBe(1);
    expect(said.mock.calls[0]![0]).toContain('refuses a call');
    fake.down = null;
    await monitor.log([round(2)]);
    await monitor.finalise();
    expect(fake.runs[0]!.metrics.map(({ step }) => step)).toEqual([0, 2]);
    said.mockRestore();
  });
});

const expectedMetric = (step: number) => expect.objectContaining({ key: 'round/proved', step, value: 10 + step });

it('bounds what waits: metrics beyond it are counted, the end is kept', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stp-outbox-'));
  const took: Entry[] = [];
  const said: string[] = [];
  let isDown = true;
  const tracker = {
    async send(entries: readonly Entry[]) {
      if (isDown) throw new Error('down');
      took.push(...entries);
    },
    async close() {},
  };
  const options = { directory, tracker, say: (line: string) => said.push(line), bytesMax: 1_000, pauseFirstMs: 10 };
  const outbox = await Outbox.open(options);
  const at = new Date().toISOString();
  for (let step = 0; step < 100; step += 1)
    await outbox.add([{ kind: 'metric', metric: { at, name: 'round/proved', step, value: 1 } }]);
  await outbox.add([{ kind: 'end', at, end: { status: 'failed', objects: [] } }]);
  expect((await stat(join(directory, 'entries.jsonl'))).size).toBeLessThan(1_300);
  isDown = false;
  await expect.poll(() => said.join()).toContain('metrics were left out');
  const metrics = took.filter(({ kind }) => kind === 'metric').length;
  expect(metrics).toBeGreaterThan(5);
  expect(said.join()).toContain(`${100 - metrics} metrics were left out`);
  expect(took.at(-1)).toMatchObject({ kind: 'end' });
  await outbox.close(1_000);
});

it('works on where the client of Weights & Biases is not to be had', async () => {
  const { folder, run, at } = await setUp();
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const settings = { ...at.settings, wandb: { python: '/nowhere/python3', directory: join(folder, 'wandb') } };
  const monitor: Monitor = await trackingMonitor(['wandb', 'tensorboard'], run, { ...at, settings });
  await monitor.log([round(0)]);
  await expect.poll(() => said.mock.calls.flat().join()).toContain('wandb takes nothing now');
  expect(said.mock.calls.flat().join()).toContain('ENOENT');
  await monitor.finalise();
  said.mockRestore();
  // TensorBoard has its file all the same; what is for the other waits.
  expect(await readdir(join(folder, 'runs', 'demo', 'tensorboard', 'round'))).toHaveLength(1);
  const [left] = await readdir(at.directory);
  expect(left).toMatch(/^wandb@/);
  expect(await readFile(join(at.directory, left!, 'entries.jsonl'), 'utf8')).toContain('round/proved');
});

it('says before a run what it would need', () => {
  const none = trackerSettings({}, '/cache');
  expect(() => requireTrackers(['mlflow'], none, 'file:///runs')).toThrow(/no server is known/);
  expect(() => requireTrackers(['tensorboard'], none, 'gs://bucket/runs')).toThrow(/cannot grow in gs:/);
  expect(() => requireTrackers(['tensorboard'], none, 'file:///runs')).not.toThrow();
  for (const [wrong, problem] of [
    ['localhost:5000', /is no address/],
    ['http://user:secret@host:5000', /holds a password/],
  ] as const)
    expect(() => trackerSettings({ MLFLOW_TRACKING_URI: wrong }, '/cache')).toThrow(problem);
});

it('gives trackers the steps of trainings and the figures of rounds, and nothing else', () => {
  expect(trackedName('checkpoints/sft/loss')).toBe('training/sft/loss');
  expect(trackedName('checkpoints/retrain_2/held_out_loss')).toBe('training/retrain_2/held_out_loss');
  expect(trackedName('checkpoints/sft/held_out_too_long')).toBeNull();
  expect(trackedName('rounds/1_3fa9/shard_0001/tokens')).toBeNull();
  expect(trackedName('round/unheard_of')).toBeNull();
  for (const { name } of TRACKED_METRICS) expect(trackedName(name)).toBe(name);
});
