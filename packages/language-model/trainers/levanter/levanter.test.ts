/** Tests the arguments of Levanter's main program, and how its log is read. */

import type { LevanterEngine } from '@stp/config';
import { trainerEngineSchema } from '@stp/config/testing';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { smallTraining } from '../../testing/small-training.ts';
import { levanterCommand, levanterConfig, rowsPerStep, rowsWanted } from './config.ts';
import { parseMetricsLine } from './metrics-log.ts';

const engine = trainerEngineSchema.parse({ kind: 'levanter', modelParallelism: 2 }) as LevanterEngine;

it('writes the configuration and the command', async () => {
  const { request } = await smallTraining();
  const paths = {
    init: 'gs://b/init',
    trainRows: ['gs://b/rows/train-00000.jsonl.gz'],
    heldOutRows: [],
    cache: 'gs://b/cache',
    state: 'gs://b/state',
    export: 'gs://b/export',
    logs: '/logs',
  };
  const config = parse(levanterConfig({ id: 'r1', request, engine, paths }));
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
