/** Goals of failed searches as targets of conjectures. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import type { ArtifactRef, ExpansionRecord, ObjectStore, ShardResult, ShownGoal } from '@stp/config/records';
import { NO_SEARCH, statement } from '@stp/config/testing';
import { stateKey, statementKey } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { planConjecturesActivity } from '../../activities/host/plan-conjectures.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { conjecturePlanSchema } from '../../activities/round/conjecture-records.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { unasked } from '../support/stand-ins.ts';
import { writeManifest } from './manifests.ts';

let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-open-goals-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const FAILED = statement('theorem failed (n : Nat) : n * 2 = n + n');
const PROVED = statement('theorem proved (n : Nat) : n = n');
const goal = (target: string, ...names: string[]): ShownGoal => ({
  hypotheses: names.length === 0 ? [] : [{ names, type: 'Nat' }],
  target,
});

function expansion(id: string, its: ShownGoal, score: number, steps: ExpansionRecord['steps'] = []): ExpansionRecord {
  const goals = its.target;
  return {
    statementId: id,
    index: 0,
    state: stateKey(goals),
    goals,
    goal: its,
    length: 1,
    logprob: score,
    score,
    steps,
  };
}
const closes = { tactic: 'rfl', logprob: -1, tokens: 1, count: 1, outcome: 'done' as const, next: null, leanMs: 1 };

const EXPANSIONS = [
  expansion(FAILED.id, goal('n * 2 = n + n', 'n'), 0),
  expansion(FAILED.id, goal('far = 0', 'n'), -9),
  expansion(FAILED.id, goal('near = 0', 'n'), -1),
  expansion(FAILED.id, goal('closed = 0'), -0.5, [closes]),
  expansion(FAILED.id, goal('hidden = 0', 'n✝'), -0.4),
  expansion(FAILED.id, goal('sealed = 0'), -0.3),
  expansion(PROVED.id, goal('n = n', 'n'), 0),
  expansion(PROVED.id, goal('other = 0'), -1),
];

async function targets(set: Record<string, string | number>): Promise<Map<string, number>> {
  const items = [FAILED, PROVED].map((one) => ({ statement: one, origin: 'dataset', samples: 1 }));
  const empty = await writeRecords(store, 'empty.jsonl', []);
  const shard: ShardResult = {
    items: await writeRecords(store, 'items.jsonl', items),
    samples: empty,
    verdicts: empty,
    sampleCount: 0,
    distinctCount: 0,
    tokens: 0,
    verdictCounts: {},
    provedStatements: 0,
    checkMs: 0,
    search: { expansions: await writeRecords(store, 'expansions.jsonl', EXPANSIONS), figures: NO_SEARCH },
  };
  const rates = [{ statementId: PROVED.id, origin: 'dataset' as const, attempts: 1, successes: 1 }];
  const config = resolveConfig({
    preset: 'sgs',
    set: { 'conjectures.perRoundMax': 40, 'conjectures.copiesMax': 5000, 'conjectures.oversampling': 40, ...set },
  });
  const input = {
    run: 'test',
    round: 2,
    name: 'rounds/2',
    config,
    data: {
      train: await writeRecords(store, 'train.jsonl', [FAILED, PROVED]),
      heldOutKeys: await writeRecords(store, 'keys.jsonl', [statementKey(null, 'theorem held : sealed = 0')]),
    },
    history: [await writeManifest(store, 'rounds/1', { round: 1, rates, shards: [shard] })],
    replayFrom: 0,
    library: null,
  };
  const ports = { store: async () => store, sources: { definitions: unasked } };
  const ref = await new MockActivityEnvironment().run(planConjecturesActivity(ports).planConjectures as never, input);
  const entries = await readAll(store, ref as unknown as ArtifactRef, conjecturePlanSchema);
  const texts = entries.map(({ origin }) => (origin.kind === 'target' ? origin.targetStatement : ''));
  return new Map(
    Map.groupBy(texts, (text) => text)
      .entries()
      .map(([text, all]) => [text, all.length / texts.length]),
  );
}

it('take their share of the texts; closed, hidden and held-out ones and those of proved statements take none', async () => {
  const shares = await targets({ 'conjectures.openGoalShare': 0.5 });
  const far = 'theorem t (n : Nat) : far = 0';
  const near = 'theorem t (n : Nat) : near = 0';
  expect(new Set(shares.keys())).toEqual(new Set([FAILED.statement, far, near]));
  expect(shares.get(FAILED.statement)).toBeCloseTo(0.5, 1);
  expect(shares.get(near)).toBeCloseTo(0.25, 1);
});

it('are no targets unless they are asked for', async () => {
  expect([...(await targets({})).keys()]).toEqual([FAILED.statement]);
});
