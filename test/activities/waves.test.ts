/** A shard in waves: the same samples as at once, fewer for decided statements, and counts that add up. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Ports } from '../../activities/ports.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { generateActivities, type Sampled } from '../../activities/round/generate.ts';
import { planActivities } from '../../activities/round/plan.ts';
import { verifyShardActivities, type WaveResult } from '../../activities/round/verify-shard.ts';
import { resolveConfig } from '../../data/config/resolve.ts';
import type { ArtifactRef } from '../../data/schemas/artifact.ts';
import { contentId } from '../../data/schemas/ids.ts';
import { sampleSchema } from '../../data/schemas/records.ts';
import { waveFolder } from '../../data/schemas/round.ts';
import type { RunConfig } from '../../data/schemas/run-config.ts';
import type { ObjectStore } from '../../infra/stores/object-store.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { workItemSchema } from '../../selfplay/shards.ts';
import { statement } from '../selfplay/records.ts';

vi.mock('../../activities/training/checkpoints.ts', () => ({ fetchCheckpoint: async () => 'checkpoint' }));

let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-waves-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const EASY = statement('theorem easy (n : Nat) : n = n');
const MIDDLE = statement('theorem middle (n : Nat) : n + 0 = n');
const HARD = statement('theorem hard (n : Nat) : n * n = n ^ 2');
const SAMPLES = 20;

/** What a sample says depends on its prompt and its seed alone, as an engine's does. */
const generator = {
  async sample(requests: readonly { id: string; prompt: string; seed: number }[]) {
    return requests.map(({ id, prompt, seed }) => ({
      id,
      text: `tactic_${contentId(prompt, String(seed)).slice(0, 6)}`,
      tokens: 2,
      logprob: -1,
      finish: 'stop' as const,
    }));
  },
};
/** Every proof of the easy statement holds, none of the hard one, and one in two of the third, by the text. */
const verifier = {
  environment: { version: 'test' },
  sandbox: { kind: 'none', description: 'a test' },
  async check(candidates: readonly { id: string; statement: string; proof: string }[]) {
    return candidates.map(({ id, statement: text, proof }) => ({
      id,
      kind:
        text === EASY.statement || (text === MIDDLE.statement && Number.parseInt(proof.slice(-1), 16) % 2 === 0)
          ? 'proved'
          : 'rejected',
      messages: [],
      premises: [],
      axioms: [],
      checkMs: 1,
      fromCache: false,
    }));
  },
};
const ports = (): Ports =>
  ({
    store: async () => store,
    scratch: async () => directory,
    monitor: async () => ({ log: async () => undefined }),
    generator: async () => generator,
    verifier: async () => verifier,
  }) as unknown as Ports;

/** Plans one shard and plays its waves, as the workflow does. */
async function play(waves: number) {
  const config: RunConfig = resolveConfig({
    preset: 'smoke',
    set: {
      'prover.slots': false,
      'sampling.waves': waves,
      'sampling.samplesFirstRound': SAMPLES,
      'sampling.statementsPerShard': 100,
    },
  });
  const name = `rounds/${waves}`;
  const empty = await writeRecords(store, 'empty.jsonl', []);
  const data = {
    train: await writeRecords(store, 'train.jsonl', [EASY, MIDDLE, HARD]),
    canaries: empty,
    heldOut: empty,
    heldOutKeys: empty,
  };
  const environment = new MockActivityEnvironment();
  const plan = planActivities(ports()).planShards;
  const planned = await environment.run(plan as never, {
    run: 'test',
    round: 0,
    name,
    config,
    data,
    history: [],
    replayFrom: 0,
    library: null,
    conjectures: null,
  });
  const [items] = (planned as { shards: ArtifactRef[] }).shards;
  const results: WaveResult[] = [];
  const drawn: Sampled[] = [];
  for (let next: ArtifactRef | null = items!; next !== null; next = results.at(-1)!.next) {
    const wave = results.length;
    // The seeds are named by the shard, so both ways must call it the same.
    const input = { run: 'test', wave, name: waveFolder(`${name}/shard`, wave), items: next, config };
    const sampled: Sampled = await environment.run(generateActivities(ports()).sampleShard as never, {
      ...input,
      shard: 'shard',
      checkpoint: { manifest: empty, model: 'm' },
    });
    drawn.push(sampled);
    const verify = verifyShardActivities(ports()).verifyShard;
    results.push(await environment.run(verify as never, { ...input, sampled, library: null }));
  }
  const proofs = new Map<string, string[]>();
  for (const { part } of results)
    for (const sample of await readAll(store, part.samples, sampleSchema))
      for (const index of sample.indices) {
        const own = proofs.get(sample.statementId) ?? [];
        own[index] = `${sample.proof} ${sample.indices[0] === index ? sample.seed : ''}`;
        proofs.set(sample.statementId, own);
      }
  return { items: await readAll(store, items!, workItemSchema), results, proofs };
}

it('statements that are not stopped have the same samples in four waves as in one', async () => {
  const once = await play(1);
  const waves = await play(4);
  expect(once.results).toHaveLength(1);
  expect(waves.results.length).toBeGreaterThan(1);
  for (const one of [MIDDLE, HARD]) {
    expect(once.proofs.get(one.id)).toHaveLength(SAMPLES);
    expect(waves.proofs.get(one.id)).toEqual(once.proofs.get(one.id));
  }
});

it('a statement stops once no band can change, with the samples that it would have had first', async () => {
  const once = await play(1);
  const waves = await play(4);
  const enough = waves.items.find((item) => item.statement.id === EASY.id)!.enough!;
  expect(enough).toBe(SAMPLES / 2 + 1);
  expect(waves.proofs.get(EASY.id)).toEqual(once.proofs.get(EASY.id)!.slice(0, enough));
});

it('counts of the waves add up, and a statement is newly proved in one of them', async () => {
  const { results, proofs } = await play(4);
  const drawn = [...proofs.values()].reduce((sum, own) => sum + own.length, 0);
  const sum = (pick: (result: WaveResult) => number): number => results.reduce((total, one) => total + pick(one), 0);
  expect(sum((result) => result.sampleCount)).toBe(drawn);
  expect(sum((result) => Object.values(result.verdictCounts).reduce((a, b) => a + b, 0))).toBe(drawn);
  expect(sum((result) => result.provedStatements)).toBe(2);
});

it('a wave that is done is not done again', async () => {
  const first = await play(4);
  const again = await play(4);
  expect(again.results).toEqual(first.results);
});
