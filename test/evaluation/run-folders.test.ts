/** Tests what `stp summary --run` and `stp eval --model` read of run folders. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smallCheckpoint, writeCheckpoint } from '@stp/language-model/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { roundTable } from '../../cli/run/round-table.ts';
import { findModel } from '../../cli/shared/model-source.ts';
import { makeRun } from '../report/synthetic-run.ts';

let directory: string;
let run: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-folders-'));
  run = join(directory, 'run');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const STATEMENTS = ['a', 'b', 'c', 'd'].map((name) => `theorem ${name} (n : Nat) : n = ${name}`);

/** Round 0 proves one of four statements, round 1 another and one of two conjectures. */
const synthetic = () =>
  makeRun(run, {
    statements: STATEMENTS,
    rounds: [
      { samples: 4, shards: [{ 0: 1, 1: 0, 2: 0, 3: 0 }] },
      {
        samples: 4,
        shards: [{ 1: 2, 2: 0, 3: 0 }],
        conjectures: [
          { statement: 'theorem x (n : Nat) : n = 7', successes: 1 },
          { statement: 'theorem y (n : Nat) : n = 8', successes: 0 },
        ],
      },
    ],
  });

describe('the rounds of a run', () => {
  it('come with cumulative pass rate and counts, as JSON and as a table', async () => {
    await synthetic();
    const [first, second, ...more] = JSON.parse(await roundTable(run, true)) as object[];
    expect(more).toEqual([]);
    expect(first).toMatchObject({ round: 0, attempted: 4, samples: 16, provedThisRound: 1, cumulativePassRate: 0.25 });
    expect(second).toMatchObject({
      round: 1,
      attempted: 3,
      provedThisRound: 1,
      provedEver: 2,
      cumulativePassRate: 0.5,
      conjecturesMade: 2,
      conjecturesProved: 1,
    });
    const lines = (await roundTable(run, false)).split('\n');
    expect(lines[1]).toMatch(/ prover +conjecturer$/u);
    expect(lines).toHaveLength(4);
    expect(lines[3]).toMatch(/^ +1 +3 +20 +1 +2 +50\.00 %/);
  });
  it('are refused for a folder that is no run, and nothing is made there', async () => {
    await expect(roundTable(join(directory, 'none'), false)).rejects.toMatchObject({ code: 'STP1502' });
    expect(existsSync(join(directory, 'none'))).toBe(false);
  });
});

describe('a model', () => {
  it('is that of the last round, of the round that is named, or the SFT model', async () => {
    const { store, state } = await synthetic();
    await store.put('config.json', JSON.stringify(state.config));
    const sft = { ...state, nextRound: 0, outcomes: [], checkpoint: state.outcomes[0]!.checkpoint };
    await store.put('state/sft.json', JSON.stringify(sft));
    const zero = { ...state, nextRound: 1, checkpoint: state.outcomes[0]!.checkpoint };
    await store.put('state/round-0.json', JSON.stringify(zero));
    const folder = (name: string): string => join(run, 'checkpoints', name);
    expect(await findModel(run, directory)).toEqual({ directory: folder('sft'), name: run, round: 1 });
    expect(await findModel(`${run}@0`, directory)).toEqual({
      directory: folder('round-0'),
      name: `${run}@0`,
      round: 0,
    });
    expect(await findModel(`${run}@sft`, directory)).toMatchObject({ directory: folder('sft'), round: null });
    expect(await findModel(`file://${run}@0`, directory)).toMatchObject({ round: 0 });
    await expect(findModel(`${run}@7`, directory)).rejects.toMatchObject({
      code: 'STP1002',
      advice: expect.stringContaining('its SFT, round 0, round 1'),
    });
  });
  it('of a run that was moved is refused with what to do, and found once a link leads to it', async () => {
    const { store, state } = await synthetic();
    await store.put('config.json', JSON.stringify(state.config));
    await mkdir(join(run, 'checkpoints', 'sft'), { recursive: true });
    const moved = join(directory, 'moved', 'run');
    await mkdir(join(directory, 'moved'));
    await rename(run, moved);
    await expect(findModel(moved, directory)).rejects.toMatchObject({
      code: 'STP1002',
      message: expect.stringContaining('was moved'),
      advice: expect.stringContaining('link'),
    });
    await symlink(moved, run);
    expect(await findModel(moved, directory)).toMatchObject({ directory: join(run, 'checkpoints', 'sft') });
  });
  it('is a checkpoint folder too, and one without a manifest a model of other people', async () => {
    const checkpoint = join(directory, 'model');
    await writeCheckpoint(checkpoint, smallCheckpoint());
    expect(await findModel(checkpoint, directory)).toEqual({ directory: checkpoint, name: checkpoint, round: null });
    await rm(join(checkpoint, 'manifest.json'));
    expect(await findModel(checkpoint, directory)).toMatchObject({ directory: checkpoint, isForeign: true });
    await rm(join(checkpoint, 'config.json'));
    await expect(findModel(checkpoint, directory)).rejects.toMatchObject({
      code: 'STP1002',
      advice: expect.stringContaining('the folder of a model'),
    });
  });
});
