/** Tests runs that start from another one: what they may take over, what they read, and what is refused. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type RunConfig, resolveConfig } from '@stp/config';
import { statementSchema } from '@stp/config/records';
import { statement } from '@stp/config/testing';
import { expect, it, onTestFinished } from 'vitest';
import { prepareRunActivity } from '../../activities/control/prepare-run.ts';
import { saveStateActivity } from '../../activities/control/save-state.ts';
import { takeOverActivity } from '../../activities/control/take-over.ts';
import { readRecords, writeRecords } from '../../activities/records/record-files.ts';
import type { RunState } from '../../activities/run/run-state.ts';
import { withNeighbours } from '../../infra/stores/neighbours.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { silentMonitor } from '../support/node-worker.ts';
import { runState } from './run-states.ts';

const config = resolveConfig({ preset: 'smoke' });

async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), 'stp-take-over-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const uri = pathToFileURL(directory).href;
  const store = async (run: string) => withNeighbours(await openStore(`${uri}/${run}`), uri);
  const activities = { ...saveStateActivity({ store, monitor: silentMonitor }), ...takeOverActivity({ store }) };
  const first = await store('first');
  const train = await writeRecords(first, 'data/train/statements.jsonl', [
    statement('theorem a (n : Nat) : n + 0 = n'),
  ]);
  const state = (nextRound: number): RunState => runState(config, train, { nextRound });
  return { uri, store, activities, state, train };
}

it('takes over a round, the last one by itself, or the SFT model alone', async () => {
  const { activities, state, uri } = await setUp();
  for (const nextRound of [0, 1, 2]) await activities.saveState('first', state(nextRound));
  const last = await activities.takeOver('a', { ...start('first') }, config);
  expect(last.state).toMatchObject({ nextRound: 2, secondsPerStage: {} });
  const earlier = await activities.takeOver('b', { ...start(`${uri}/first`), fromRound: 0 }, config);
  expect(earlier.state?.nextRound).toBe(1);
  const sft = await activities.takeOver('c', { ...start('first'), fromRound: -1 }, { ...config, library: 'grow' });
  expect(sft.state).toBeNull();
  expect(sft.sft.checkpoint.model).toBe('feed');
});

it('reads the other run through its references, and nothing outside the place of the runs', async () => {
  const { store, train } = await setUp();
  const own = await store('second');
  expect(await Array.fromAsync(readRecords(own, train, statementSchema))).toHaveLength(1);
  const outside = { ...train, uri: 'file:///etc/hostname' };
  await expect(own.get(outside)).rejects.toMatchObject({ code: 'STP1403' });
  const above = { ...train, uri: `${own.root.replace(/second$/, '')}../first/data/train/statements.jsonl` };
  await expect(own.get(above)).rejects.toMatchObject({ code: 'STP1403' });
});

const withTargets = resolveConfig({
  preset: config.preset,
  set: { 'conjectures.conditionOn.kind': 'unproved-target' },
}).conjectures;

it.each<[string, Partial<RunConfig>]>([
  ['model', { model: { ...config.model, layers: 7 } }],
  ['sft', { sft: { ...config.sft, learningRate: 0.5 } }],
  ['data', { data: { ...config.data, trainStatementsPerSetMax: 3 } }],
  ['conjectures.conditionOn.kind', { conjectures: withTargets }],
])('refuses a run with another "%s" configuration', async (key, changed) => {
  const { activities, state } = await setUp();
  await activities.saveState('first', state(1));
  const taking = activities.takeOver('second', start('first'), { ...config, ...changed });
  await expect(taking).rejects.toMatchObject({ code: 'STP1002', message: expect.stringContaining(`"${key}"`) });
});

it('wants the same ranker for a learned order, whose weights the data have, and none for a fixed order', async () => {
  const { activities, state } = await setUp();
  await activities.saveState('first', state(1));
  const taking = (run: string, set: Record<string, string>) => {
    const { prover } = resolveConfig({ preset: config.preset, set: { 'prover.mode': 'scripts', ...set } });
    return activities.takeOver(run, start('first'), { ...config, prover });
  };
  const other = taking('second', { 'prover.actions': 'learned', 'prover.rankerFrom': 'lean-core' });
  await expect(other).rejects.toMatchObject({ message: expect.stringContaining('"prover.rankerFrom"') });
  expect((await taking('third', { 'prover.actions': 'fixed' })).state?.nextRound).toBe(1);
});

it('wants the same seed for the SFT model alone, whose held-out theorems it chose, and not for a round', async () => {
  const { activities, state } = await setUp();
  for (const nextRound of [0, 1]) await activities.saveState('first', state(nextRound));
  const otherSeed = { ...config, seed: config.seed + 1 };
  const taking = activities.takeOver('second', { ...start('first'), fromRound: -1 }, otherSeed);
  await expect(taking).rejects.toMatchObject({ code: 'STP1002', message: expect.stringContaining('"seed"') });
  const taken = await activities.takeOver('third', { ...start('first'), fromRound: 0 }, otherSeed);
  expect(taken.state?.config.seed).toBe(otherSeed.seed);
});

it('a run that was stopped early and reported is not started again, a finished or unreported one is', async () => {
  const { activities, state, store } = await setUp();
  const { prepareRun } = prepareRunActivity({ store, requireTrackers: () => {} });
  const again = () => prepareRun('stopped', { rounds: 2, preset: 'smoke', set: {} });
  await again();
  for (const nextRound of [0, 1, 2]) await activities.saveState('stopped', state(nextRound));
  await expect(again()).resolves.toMatchObject({ rounds: 2 });
  await (await store('stopped')).put('reported.json', '{}');
  await expect(again()).rejects.toMatchObject({
    code: 'STP1002',
    message: expect.stringContaining('stopped after round 1 of 2'),
    advice: expect.stringContaining('--init-from stopped'),
  });
  await activities.saveState('stopped', state(3));
  await expect(again()).resolves.toMatchObject({ rounds: 2 });
});

it('says what there is when a round is asked for that is not there', async () => {
  const { activities, state } = await setUp();
  await activities.saveState('first', state(0));
  await activities.saveState('first', state(1));
  const taking = activities.takeOver('second', { ...start('first'), fromRound: 7 }, config);
  await expect(taking).rejects.toMatchObject({ code: 'STP1002', advice: expect.stringContaining('its SFT, round 0') });
  await expect(activities.takeOver('third', start('../../etc'), config)).rejects.toMatchObject({ code: 'STP1002' });
  await expect(activities.takeOver('fourth', start('nothing'), config)).rejects.toMatchObject({ code: 'STP1002' });
});

function start(initFrom: string) {
  return { rounds: 3, preset: 'smoke', set: {}, initFrom };
}
