/**
 * The Levanter trainer with a stand-in for Levanter's main program: the configuration it is given, the rows, its log, its
 * export. Where PyTorch is installed (the scripts around it use it). Costs about 15 s of CPU.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { type LevanterEngine, trainerEngineSchema } from '../../data/schemas/engines.ts';
import { readCheckpoint } from '../../model/checkpoint/checkpoint.ts';
import { levanterCommand, levanterConfig, rowsPerStep, rowsWanted } from '../../model/levanter/config.ts';
import { parseMetricsLine } from '../../model/levanter/metrics-log.ts';
import { levanterTrainer } from '../../model/levanter/trainer.ts';
import { skipsPython } from '../python/python.ts';
import { smallTraining } from './small-training.ts';
import { standInForLevanter } from './stand-in-levanter.ts';

const skipped = skipsPython('training with a stand-in for Levanter');
const engine = trainerEngineSchema.parse({ kind: 'levanter', modelParallelism: 2 }) as LevanterEngine;

it('writes the configuration and the command', async () => {
  const { request } = await smallTraining();
  const places = {
    init: 'gs://b/init',
    trainRows: ['gs://b/rows/train-00000.jsonl.gz'],
    heldOutRows: [],
    cache: 'gs://b/cache',
    state: 'gs://b/state',
    export: 'gs://b/export',
    logs: '/logs',
  };
  const config = parse(levanterConfig({ id: 'r1', request, engine, places }));
  expect(config).toMatchObject({
    initialize_from_hf: 'gs://b/init',
    train_seq_len: 64,
    data: {
      shuffle: false,
      components: { examples: { format: { type: 'prebuilt', loss_weights_key: 'loss_weights' } } },
    },
    trainer: {
      id: 'r1',
      train_batch_size: 6,
      num_train_steps: 12,
      checkpointer: { base_path: 'gs://b/state', save_interval: '900s' },
      mesh: { axes: { model: 2 } },
    },
    optimizer: { type: 'adam', beta2: 0.95, lr_schedule: 'linear', warmup: 3, min_lr_ratio: 0.1, max_grad_norm: 0.5 },
    hf_save_path: 'gs://b/export',
  });
  expect(rowsPerStep(request)).toBe(6);
  expect(rowsWanted(request)).toBe(6 * 172);
  expect(levanterCommand(engine, '/c.yaml')).toEqual([
    'python3',
    '-m',
    'levanter.main.train_lm',
    '--config_path',
    '/c.yaml',
  ]);
});

it('reads the log', () => {
  const line =
    '{"tracker": "json_logger", "event": "log", "step": 4, "metrics": {"train/loss": 2.5, "eval/loss": "nan"}}';
  const nothing = { gradientNorm: null, tokensPerSecond: null, heldOutLoss: null };
  expect(parseMetricsLine(`I2026 levanter.json_logger ${line}`)).toEqual({ step: 5, loss: 2.5, ...nothing });
  for (const other of ['', 'step 4', line.slice(0, -1), line.replace('"log"', '"hparams"')])
    expect(parseMetricsLine(other)).toBeNull();
});

it.skipIf(skipped)('makes rows with a weight for each predicting token, and a checkpoint of the export', async () => {
  const { directory, request, seen } = await smallTraining({ steps: 20, heldOutEverySteps: 10 });
  const python = await standInForLevanter(directory);
  await writeFile(join(directory, 'fail'), '');
  const trainer = levanterTrainer({ engine: { ...engine, python }, threads: 1 });
  const onProgress = (progress: (typeof seen)[number]) => void seen.push(progress);
  await expect(trainer.train(request, { onProgress })).rejects.toMatchObject({
    code: 'STP1301',
    retryable: true,
    message: expect.stringContaining('the slice was preempted'),
  });
  const first = parse(await readFile(join(directory, 'config.yaml'), 'utf8'));
  const result = await trainer.train(request, { onProgress });
  const second = parse(await readFile(join(directory, 'config.yaml'), 'utf8'));
  // The same training has the same name, by which it finds its checkpoints.
  expect(second.trainer.id).toBe(first.trainer.id);
  expect(result).toMatchObject({ steps: 20, heldOutLoss: 3.5, tooLong: 0 });
  expect(result.finalLoss).toBeCloseTo(4 - 18.5 / 20, 6);
  expect(seen.map(({ step }) => step)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  const { training } = await readCheckpoint(request.outputDirectory);
  expect(training).toMatchObject({ steps: 20, parent: null });

  const rows = gunzipSync(await readFile(join(directory, 'rows.jsonl.gz')))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { input_ids: number[]; loss_weights: number[] });
  expect(rows.length).toBeGreaterThanOrEqual(rowsWanted(request));
  const end = 1;
  for (const { input_ids: ids, loss_weights: weights } of rows) {
    expect([ids.length, weights.length]).toEqual([64, 64]);
    // Weights stand where the next token is scored: up to the token before each end, and nowhere at an end.
    ids.forEach((id, at) => {
      if (id === end) expect(weights[at]).toBe(0);
      if (ids[at + 1] === end && id !== end) expect(weights[at]).toBeGreaterThan(0);
    });
  }
});
