/**
 * A small simulated fleet on a real Temporal server, of which a third is killed: every shard ends with one verdict a sample,
 * the one that its time says, and what had been stored is not checked again. Costs about a minute, nearly all of it waiting.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAll } from '../../activities/record-files.ts';
import { sampleSchema, verdictSchema } from '../../data/schemas/records.ts';
import { cancelFleet, runFleet } from '../../experiments/fleet/fleet.ts';
import { proofMs } from '../../experiments/fleet/times.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { localServer } from '../support/temporal.ts';

let server: TestWorkflowEnvironment;
let directory: string;
beforeAll(async () => {
  [server, directory] = await Promise.all([localServer(), mkdtemp(join(tmpdir(), 'stp-fleet-'))]);
});
afterAll(async () => {
  await server?.teardown();
  await rm(directory, { recursive: true, force: true });
});

const TIMES = { seed: 1, scale: 2, runawayShare: 0.045, runawayMs: 1_500 };

it('loses no verdict and counts none twice when workers are killed', async () => {
  const [shards, proofsPerShard] = [24, 400];
  const run = await runFleet({
    ...{
      address: server.address,
      directory,
      nodes: 6,
      nodesPerProcess: 2,
      processesPerNode: 8,
      shards,
      proofsPerShard,
    },
    ...{ times: TIMES, keepsParts: true, losses: 1, lossesWithinMs: 8_000 },
  });
  expect(run.results).toHaveLength(shards);
  expect(run.proofs).toBe(shards * proofsPerShard);
  expect(run.shardsTriedAgain).toBeGreaterThan(0);
  const store = await openStore(pathToFileURL(join(directory, 'store')).href);
  for (const { parts } of run.results) {
    const samples = (await readAll(store, parts[0]!.samples, sampleSchema)).map(({ id }) => id);
    const { verdicts } = parts[0]!;
    const found = await readAll(store, verdicts, verdictSchema);
    expect(found.map(({ sampleId }) => sampleId)).toEqual(samples);
    const shard = /rounds\/.*\/shard-\d+/.exec(verdicts.uri)![0];
    expect(found.map(({ checkMs }) => checkMs)).toEqual(samples.map((id) => proofMs(TIMES, shard, id)));
  }
});

it('sees when each node hears that the round is cancelled', async () => {
  const told = await cancelFleet(
    {
      ...{ address: server.address, directory: join(directory, 'cancelled'), nodes: 4, nodesPerProcess: 2 },
      ...{ processesPerNode: 2, shards: 12, proofsPerShard: 400 },
      ...{ times: { ...TIMES, scale: 40 }, keepsParts: true, losses: 0, lossesWithinMs: 0 },
    },
    1_000,
  );
  expect(told.nodes).toBe(4);
  expect(told.shards).toBeGreaterThanOrEqual(4);
  expect(told.seconds.p50).toBeGreaterThan(0);
  expect(told.roundSeconds).toBeGreaterThanOrEqual(told.seconds.max);
});
