/** Tests the metrics file when its process is killed. About 1 s. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openJsonlMonitor, readMetrics } from '../../../infra/monitor/jsonl-monitor.ts';

async function newPath(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), 'stp-monitor-')), 'made', 'metrics.jsonl');
}

async function read(path: string) {
  const metrics = [];
  for await (const { name, step, value } of readMetrics(path)) metrics.push([name, step, value]);
  return metrics;
}

it('keeps metrics in order over several openings, NaN and infinities too', async () => {
  const path = await newPath();
  const first = await openJsonlMonitor(path);
  await first.log([
    { name: 'train/loss', step: 0, value: 2.5 },
    { name: 'lean/checks_per_second', step: 0, value: 31 },
  ]);
  await first.finalise();
  await first.finalise();
  const second = await openJsonlMonitor(path);
  await Promise.all(
    [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value, step) =>
      second.log([{ name: 'train/loss', step, value }]),
    ),
  );
  await second.finalise();
  expect(await read(path)).toEqual([
    ['train/loss', 0, 2.5],
    ['lean/checks_per_second', 0, 31],
    ['train/loss', 0, Number.NaN],
    ['train/loss', 1, Number.POSITIVE_INFINITY],
    ['train/loss', 2, Number.NEGATIVE_INFINITY],
  ]);
});

it.each([
  { name: 'loss', step: 0, value: 1 },
  { name: 'Train/Loss', step: 0, value: 1 },
  { name: 'train/', step: 0, value: 1 },
  { name: 'train/loss', step: -1, value: 1 },
  { name: 'train/loss', step: 0.5, value: 1 },
  { name: 'train/loss\n', step: 0, value: 1 },
])('refuses %j and writes nothing of the call', async (wrong) => {
  const path = await newPath();
  const monitor = await openJsonlMonitor(path);
  await expect(monitor.log([{ name: 'train/loss', step: 1, value: 1 }, wrong])).rejects.toMatchObject({
    code: 'STP1002',
  });
  await monitor.finalise();
  expect(await readFile(path, 'utf8')).toBe('');
});

it('refuses to log after its end', async () => {
  const monitor = await openJsonlMonitor(await newPath());
  await monitor.finalise();
  await expect(monitor.log([{ name: 'a/b', step: 0, value: 1 }])).rejects.toMatchObject({ code: 'STP1002' });
});

it('fences off a line that a crash tore', async () => {
  const path = await newPath();
  const before = await openJsonlMonitor(path);
  await before.log([{ name: 'train/loss', step: 1, value: 1 }]);
  await before.finalise();
  await appendFile(path, '{"at":"2026-01-01T00:00:00.000Z","name":"train/lo');
  const after = await openJsonlMonitor(path);
  await after.log([{ name: 'train/loss', step: 2, value: 2 }]);
  await after.finalise();
  expect(await read(path)).toEqual([
    ['train/loss', 1, 1],
    ['train/loss', 2, 2],
  ]);
});

it('has every metric that was acknowledged before a kill -9', async () => {
  const path = await newPath();
  const module = new URL('../../../infra/monitor/jsonl-monitor.ts', import.meta.url).href;
  const script = `
    import { openJsonlMonitor } from ${JSON.stringify(module)};
    const monitor = await openJsonlMonitor(${JSON.stringify(path)});
    for (let step = 0; ; step += 1) {
      await monitor.log([{ name: 'train/loss', step, value: step }]);
      process.stdout.write(step + '\\n');
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let acknowledged = '';
  child.stdout.on('data', (data: Buffer) => {
    acknowledged += data.toString();
    if (acknowledged.length > 2000) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const steps = acknowledged.slice(0, acknowledged.lastIndexOf('\n')).split('\n').map(Number);
  const metrics = await read(path);
  expect(metrics.length).toBeGreaterThanOrEqual(steps.length);
  for (const step of steps) expect(metrics[step]).toEqual(['train/loss', step, step]);
});

it('says where it cannot write', async () => {
  await expect(openJsonlMonitor('/proc/metrics.jsonl')).rejects.toMatchObject({ code: 'STP1401' });
});
