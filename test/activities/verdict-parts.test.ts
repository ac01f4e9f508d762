/** A lost verification of a shard resumes from the stored verdicts: none is lost, none is requested twice. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import {
  type ObjectStore,
  type SandboxFacts,
  type ShardResult,
  type Verdict,
  type VerdictKind,
  verdictSchema,
} from '@stp/config/records';
import { statement } from '@stp/config/testing';
import type { Candidate, CheckOptions, CheckResult } from '@stp/lean-verifier';
import { dedupeSamples } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { verifyShardActivity } from '../../activities/lean/verify-shard.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { VerdictParts } from '../../activities/round/verdict-parts.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { leanOfVersion } from '../support/stand-ins.ts';

const SAMPLES = 1_000;
const WALLED: SandboxFacts = { kind: 'bubblewrap', description: 'a test' };
const config = resolveConfig({ preset: 'smoke', set: { 'verification.unverifiedShareMax': 0 } });
const one = statement('theorem a (n : Nat) : n = n');
const samples = dedupeSamples(
  Array.from({ length: SAMPLES }, (_, seed) => ({
    statementId: one.id,
    index: seed,
    text: `p${seed}`,
    tokens: 1,
    logprob: 0,
    seed,
    finish: 'stop' as const,
  })),
  'm',
);

let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-parts-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

interface Script {
  /** Verdicts given before the ending. */
  readonly verdicts: number;
  readonly ending: 'ends' | 'fails' | 'hangs';
  readonly kindOf?: (proof: string) => VerdictKind;
  readonly sandbox?: SandboxFacts;
}

/** One attempt; `asked` gets the proofs that the checker was asked for, `beats` what the heartbeats said. */
async function attempt(script: Script, asked: string[], beats: unknown[] = []): Promise<ShardResult> {
  const kindOf = script.kindOf ?? ((proof) => (Number(proof.slice(1)) % 3 === 0 ? 'proved' : 'rejected'));
  const check = async (candidates: readonly Candidate[], options: CheckOptions = {}): Promise<CheckResult[]> => {
    asked.push(...candidates.map(({ proof }) => proof));
    const results: CheckResult[] = [];
    for (const { id, proof } of candidates) {
      if (results.length === script.verdicts && script.ending !== 'ends') {
        // As a process that is killed: nothing runs on, also no clean-up.
        if (script.ending === 'hangs') await new Promise(() => undefined);
        throw new Error('the connection was lost');
      }
      const facts = { messages: [], premises: [], axioms: [], checkMs: 1, fromCache: false };
      const result: CheckResult = { id, kind: kindOf(proof), ...facts };
      results.push(result);
      options.onResult?.(result);
    }
    return results;
  };
  const ports = {
    store: async () => store,
    monitor: async () => ({ log: async () => undefined }),
    verifier: async () => ({ environment: leanOfVersion('test'), sandbox: script.sandbox ?? WALLED, check }),
  };
  const environment = new MockActivityEnvironment();
  environment.on('heartbeat', (details: unknown) => beats.push(details));
  const input = {
    run: 'test',
    name: 'rounds/0/shard-0000',
    library: null,
    items: await writeRecords(store, 'items.jsonl', [{ statement: one, origin: 'dataset', samples: SAMPLES }]),
    sampled: {
      samples: await writeRecords(store, 'samples.jsonl', samples),
      sampleCount: SAMPLES,
      distinctCount: SAMPLES,
      tokens: SAMPLES,
    },
    config,
  };
  return environment.run(verifyShardActivity(ports).verifyShard, input);
}

const verdictsOf = (result: ShardResult): Promise<Verdict[]> => readAll(store, result.verdicts, verdictSchema);
const partNames = async (): Promise<string[]> => {
  const names: string[] = [];
  for await (const { name } of store.list('rounds/0/shard-0000/verdict-parts/')) names.push(name);
  return names;
};

it('goes on after an attempt that was killed, with the parts that it had stored', async () => {
  const first: string[] = [];
  const lost = attempt({ verdicts: 600, ending: 'hangs' }, first);
  lost.catch(() => undefined);
  // Two parts of 256; the 88 verdicts after them are lost with the process.
  await expect.poll(partNames).toHaveLength(2);
  const second: string[] = [];
  const result = await attempt({ verdicts: SAMPLES, ending: 'ends' }, second);
  expect(first).toHaveLength(SAMPLES);
  expect(second).toEqual(samples.slice(512).map(({ proof }) => proof));
  const verdicts = await verdictsOf(result);
  expect(verdicts.map(({ sampleId }) => sampleId)).toEqual(samples.map(({ id }) => id));
  expect(result).toMatchObject({ verdictCounts: { proved: 334, rejected: 666 }, provedStatements: 1, checkMs: 1_000 });
});

it('says within which walls the verdicts were given, those of an earlier attempt among them', async () => {
  const none: SandboxFacts = { kind: 'none', description: 'not there' };
  await expect(attempt({ verdicts: 600, ending: 'fails' }, [])).rejects.toThrow('the connection was lost');
  await expect(attempt({ verdicts: 100, ending: 'fails', sandbox: none }, [])).rejects.toThrow();
  const result = await attempt({ verdicts: SAMPLES, ending: 'ends' }, []);
  expect(result.sandbox).toEqual({ kind: 'none', description: 'an earlier attempt at the shard had none' });
});

it('says so of walls that all attempts had', async () => {
  await expect(attempt({ verdicts: 600, ending: 'fails' }, [])).rejects.toThrow('the connection was lost');
  expect((await attempt({ verdicts: SAMPLES, ending: 'ends' }, [])).sandbox).toEqual(WALLED);
});

it('loses nothing where the attempt could still say so', async () => {
  await expect(attempt({ verdicts: 600, ending: 'fails' }, [])).rejects.toThrow('the connection was lost');
  const second: string[] = [];
  const result = await attempt({ verdicts: SAMPLES, ending: 'ends' }, second);
  expect(second).toEqual(samples.slice(600).map(({ proof }) => proof));
  expect(result.verdictCounts).toEqual({ proved: 334, rejected: 666 });
});

it('asks again for what Lean could not be asked about, and for that only', async () => {
  const isLost = (proof: string): boolean => ['p7', 'p700'].includes(proof);
  const kindOf = (proof: string): VerdictKind => (isLost(proof) ? 'infra' : 'rejected');
  await expect(attempt({ verdicts: SAMPLES, ending: 'ends', kindOf }, [])).rejects.toMatchObject({ code: 'STP1702' });
  const second: string[] = [];
  const result = await attempt({ verdicts: SAMPLES, ending: 'ends', kindOf: () => 'rejected' }, second);
  expect(second.filter((proof) => isLost(proof))).toEqual(['p7', 'p700']);
  // Those after the last part, 998 − 3 × 256 of them, had none of their own yet.
  expect(second).toHaveLength(2 + 230);
  expect(result.verdictCounts).toEqual({ rejected: SAMPLES });
});

it('counts a verdict once where two attempts ran side by side', async () => {
  const verdict = (sampleId: string, kind: VerdictKind): Verdict => ({
    sampleId,
    kind,
    messages: [],
    premises: [],
    axioms: [],
    checkMs: 1,
    leanVersion: 'test',
  });
  const [first, second] = [
    await VerdictParts.open(store, 'parts', WALLED),
    await VerdictParts.open(store, 'parts', WALLED),
  ];
  for (let index = 0; index < 300; index++) {
    first.add(verdict(`s${index}`, 'proved'));
    second.add(verdict(`s${index}`, 'timeout'));
  }
  await Promise.all([first.keepAll(), second.keepAll()]);
  const after = await VerdictParts.open(store, 'parts', WALLED);
  expect(after.earlier.size).toBe(300);
  expect(after.cursor).toMatchObject({ kept: 300, part: expect.stringMatching(/^parts\/0000\d-/) });
});

it('says in its heartbeats how far it is and which part was the last', async () => {
  const beats: unknown[] = [];
  const lost = attempt({ verdicts: 600, ending: 'hangs' }, [], beats);
  lost.catch(() => undefined);
  await expect
    .poll(() => beats.at(-1))
    .toMatchObject({ verified: 600, of: SAMPLES, part: expect.stringMatching(/verdict-parts\/00001-/) });
});
