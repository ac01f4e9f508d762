/**
 * Tests real trackers: a run is logged to an MLflow server, to event files that TensorBoard's own reader opens, and by
 * the client of Weights & Biases without a network. One process is killed, and another continues. Costs about a minute.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { takeUpOutboxes, trackingMonitor } from '../../infra/monitor/trackers/open-trackers.ts';
import { trackerSettings } from '../../infra/monitor/trackers/settings.ts';
import { readLinks, type TrackedRun } from '../../infra/monitor/trackers/tracker.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { freePort } from '../support/ports.ts';
import { tracking } from './python.ts';

const isSkipped = tracking.skips('MLflow, TensorBoard and Weights & Biases');
/** A server that starts on a busy machine, and Python's own modules that load. */
const TIME_MS_MAX = 600_000;

let folder: string;
let url: string;
let server: ChildProcess | null = null;
const environment = { ...process.env, MLFLOW_DISABLE_TELEMETRY: 'true', WANDB_MODE: 'offline', WANDB_SILENT: 'true' };

beforeAll(async () => {
  if (isSkipped) return;
  folder = await mkdtemp(join(tmpdir(), 'stp-tracking-'));
  url = `http://127.0.0.1:${await freePort()}`;
  const { port } = new URL(url);
  const command = join(dirname(tracking.interpreter), 'mlflow');
  const serving = [
    '--backend-store-uri',
    `sqlite:///${folder}/mlflow.db`,
    '--artifacts-destination',
    `${folder}/files`,
  ];
  const address = ['--host', '127.0.0.1', '--port', port, '--workers', '1'];
  server = spawn(command, ['server', ...address, ...serving], { env: environment, stdio: 'ignore', detached: true });
  await vi.waitFor(() => fetch(`${url}/health`), { timeout: TIME_MS_MAX, interval: 500 });
}, TIME_MS_MAX);

afterAll(async () => {
  if (server?.pid === undefined) return;
  process.kill(-server.pid, 'SIGTERM');
  await once(server, 'close');
}, TIME_MS_MAX);

/** A worker that logs to all three and never ends. */
const firstWorker = (run: TrackedRun, at: object): string => {
  const modules = new URL('../../infra/', import.meta.url).href;
  return `
    import { trackingMonitor } from '${modules}monitor/trackers/open-trackers.ts';
    import { openStore } from '${modules}stores/open-store.ts';
    const { run, id, parameters } = ${JSON.stringify({ run: run.run, id: run.id, parameters: run.parameters })};
    const store = await openStore('${run.store.root}');
    const monitor = await trackingMonitor(['mlflow', 'tensorboard', 'wandb'], { run, id, parameters, store }, ${JSON.stringify(at)});
    await monitor.log([
      { name: 'checkpoints/sft/loss', step: 1, value: 2.5 },
      { name: 'checkpoints/sft/loss', step: 2, value: NaN },
      { name: 'round/proved', step: 0, value: 11 },
    ]);
    setInterval(() => {}, 1_000);`;
};

it.skipIf(isSkipped)(
  'a run is one run everywhere, also over a crash',
  async () => {
    const storeUri = pathToFileURL(join(folder, 'runs')).href;
    const store = await openStore(`${storeUri}/demo`);
    const run: TrackedRun = { run: 'demo', id: 'demo-1234', store, parameters: { preset: 'smoke', seed: '3' } };
    await store.put('report.html', '<p>report</p>\n');
    await store.put('report/losses.csv', 'step,loss\n');
    const settings = trackerSettings(
      { MLFLOW_TRACKING_URI: url, STP_WANDB_PYTHON: tracking.interpreter, WANDB_DIR: folder },
      folder,
    );
    const at = { directory: join(folder, 'outboxes'), storeUri, settings };

    Object.assign(process.env, { WANDB_MODE: 'offline', WANDB_SILENT: 'true' });
    const options = { env: environment, stdio: 'ignore' } as const;
    const first = spawn(process.execPath, ['--input-type=module', '-e', firstWorker(run, at)], options);
    await expect.poll(async () => (await readLinks(store)).length, { timeout: TIME_MS_MAX, interval: 200 }).toBe(3);
    first.kill('SIGKILL');
    await once(first, 'close');

    const left = await takeUpOutboxes(at, async () => run);
    const second = await trackingMonitor(['mlflow', 'tensorboard', 'wandb'], run, at);
    await second.log([
      { name: 'round/proved', step: 1, value: 12 },
      { name: 'round/usd', step: 1, value: 0.25 },
    ]);
    await second.conclude!({ status: 'finished', objects: ['report.html', 'report/losses.csv'] });
    const targets = { mlflow: url, tensorboard: join(folder, 'runs'), wandb: folder };
    const statusOf = async () => {
      const found = (await tracking.run('tracking.py', { mlflow: url })) as Pick<Found, 'mlflow'>;
      return found.mlflow[0]?.status;
    };
    interface Found {
      mlflow: { status: string }[];
      wandb: { id: string; exit: number | null; history: Record<string, string>[]; artifacts: string[] }[];
      tensorboard: { runs: string[]; scalars: Record<string, [number, string][]>; texts: Record<string, string> };
    }
    await expect.poll(statusOf, { timeout: TIME_MS_MAX, interval: 1_000 }).toBe('FINISHED');
    await second.finalise();
    await left.close();
    const found = (await tracking.run('tracking.py', targets)) as Found;

    const history = {
      'training/sft/loss': [
        [1, '2.5'],
        [2, 'nan'],
      ],
      'round/proved': [
        [0, '11.0'],
        [1, '12.0'],
      ],
      'round/usd': [[1, '0.25']],
    };
    expect(found.mlflow).toEqual([
      {
        experiment: 'stp-selfplay',
        name: 'demo',
        status: 'FINISHED',
        params: run.parameters,
        history,
        files: { 'report.html': '<p>report</p>\n', 'report/losses.csv': 'step,loss\n' },
      },
    ]);
    const { runs, scalars, texts } = found.tensorboard;
    expect(runs).toEqual(['config', 'round', 'training_sft'].map((group) => `demo/tensorboard/${group}`));
    // What the killed process had sent just before may be there twice.
    expect(Object.keys(scalars).sort()).toEqual(Object.keys(history).sort());
    expect(scalars).toMatchObject({ 'round/usd': history['round/usd'] });
    for (const [name, points] of Object.entries(history)) expect(scalars[name]).toEqual(expect.arrayContaining(points));
    expect(texts.config).toContain('| preset | smoke |');
    // A folder of files for each process, all of the one run.
    expect(found.wandb.length).toBeGreaterThanOrEqual(2);
    expect(new Set(found.wandb.map(({ id }) => id)).size).toBe(1);
    const rows = found.wandb.flatMap((process) => process.history);
    expect(rows).toEqual(
      expect.arrayContaining([
        { 'training/sft/loss': '2.5', 'training/step': '1' },
        { 'round/proved': '11', 'round/number': '0' },
        { 'round/proved': '12', 'round/usd': '0.25', 'round/number': '1' },
      ]),
    );
    expect(found.wandb.at(-1)).toMatchObject({ exit: 0 });
    expect(found.wandb.flatMap(({ artifacts }) => artifacts).sort()).toEqual(['report.html', 'report/losses.csv']);
  },
  TIME_MS_MAX,
);
