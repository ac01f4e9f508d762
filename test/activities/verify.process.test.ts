/**
 * Tests the rules around verification, with a checker whose answers the test sets: canaries, infrastructure,
 * certificates.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import { type ObjectStore, type ShardResult, type VerdictKind, verdictSchema } from '@stp/config/records';
import { certificateOf, statement } from '@stp/config/testing';
import { type Candidate, type CheckOptions, LIBRARY_HEADER } from '@stp/lean-verifier';
import { dedupeSamples } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyShardActivity } from '../../activities/lean/verify-shard.ts';
import type { Ports } from '../../activities/ports.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { foundProof } from '../../activities/round/found-proof.ts';
import { openStore } from '../../infra/stores/open-store.ts';

let directory: string;
let store: ObjectStore;
const metrics: { readonly name: string; readonly value: number }[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-verify-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const portsWith = <Some extends Partial<Ports>>(more: Some) => ({
  store: async () => store,
  scratch: async () => directory,
  monitor: async () => ({
    log: async (some: readonly { name: string; value: number }[]) => void metrics.push(...some),
    finalise: async () => undefined,
  }),
  ...more,
});

describe('verifyShard', () => {
  const REASON = { severity: 'error', line: 1, column: 0, text: 'Unknown identifier `x`' } as const;
  const verify = async (
    origin: 'dataset' | 'canary',
    kindOf: (proof: string) => VerdictKind,
    set: Record<string, unknown> = {},
    texts: readonly string[] = ['p0', 'p1', 'p1', 'p2'],
  ) => {
    const one = statement('theorem a (n : Nat) : n = n');
    const raw = texts.map((text, seed) => ({
      statementId: one.id,
      index: seed,
      text,
      tokens: 1,
      logprob: 0,
      seed,
      finish: 'stop' as const,
    }));
    const samples = dedupeSamples(raw, 'm');
    const verifier = {
      environment: { version: 'test' },
      sandbox: { kind: 'none', description: 'a test' },
      check: async (candidates: readonly Candidate[], { explains }: CheckOptions) =>
        candidates.map(({ id, proof, ...one }) => ({
          id,
          kind: kindOf(proof),
          messages: explains?.({ id, proof, ...one }) === false ? [] : [REASON],
          premises: [],
          axioms: [],
          ...(kindOf(proof) === 'proved' ? { certificate: certificateOf(LIBRARY_HEADER, one.statement, proof) } : {}),
          ...(proof === 'two kernels' ? { isDisagreement: true as const } : {}),
          checkMs: 1,
          fromCache: false,
        })),
    };
    const activities = verifyShardActivity(portsWith({ verifier: async () => verifier as never }));
    const input = {
      run: 'test',
      name: 'rounds/0/shard-0',
      library: null,
      items: await writeRecords(store, 'items.jsonl', [{ statement: one, origin, samples: texts.length }]),
      sampled: {
        samples: await writeRecords(store, 'samples.jsonl', samples),
        sampleCount: texts.length,
        distinctCount: new Set(texts).size,
        tokens: texts.length,
      },
      config: resolveConfig({ preset: 'smoke', set }),
    };
    return new MockActivityEnvironment().run(activities.verifyShard, input);
  };

  it('counts verdicts with multiplicity', async () => {
    const result = await verify('dataset', (proof) => (proof === 'p1' ? 'proved' : 'rejected'));
    expect(result).toMatchObject({ verdictCounts: { proved: 2, rejected: 2 }, provedStatements: 1, sampleCount: 4 });
  });
  it('keeps with each proof how it was judged, and with each other sample whether two kernels disagree', async () => {
    const texts = ['p0', 'p1', 'two kernels'];
    const result = (await verify(
      'dataset',
      (proof) => (proof === 'p1' ? 'proved' : 'rejected'),
      {},
      texts,
    )) as ShardResult;
    const verdicts = await readAll(store, result.verdicts, verdictSchema);
    const one = statement('theorem a (n : Nat) : n = n');
    expect(verdicts.map(({ certificate, isDisagreement }) => [certificate ?? null, isDisagreement ?? false])).toEqual([
      [null, false],
      [certificateOf(LIBRARY_HEADER, one.statement, 'p1'), false],
      [null, true],
    ]);
  });
  it('asks of a tenth of the samples why they fail, of all where they are revised, and counts unknown names by these', async () => {
    const texts = Array.from({ length: 200 }, (_, index) => `p${index}`);
    const explainedOf = async (set: Record<string, unknown>) => {
      metrics.length = 0;
      await rm(join(directory, 'store'), { recursive: true, force: true });
      const { verdicts } = (await verify('dataset', () => 'rejected', set, texts)) as ShardResult;
      const explained = (await readAll(store, verdicts, verdictSchema)).filter(({ messages }) => messages.length > 0);
      expect(metrics.find(({ name }) => name.endsWith('samples_with_unknown_name'))).toMatchObject({ value: 200 });
      return explained.map(({ sampleId }) => sampleId);
    };
    const tenth = await explainedOf({});
    expect(tenth.length).toBeGreaterThan(5);
    expect(tenth.length).toBeLessThan(45);
    expect(await explainedOf({})).toEqual(tenth);
    const revises = { 'prover.mode': 'revise', 'prover.format': 'deepseek-prover-v2', 'prover.slots': false };
    expect(await explainedOf(revises)).toHaveLength(200);
    expect(await explainedOf({ ...revises, 'verification.explainedShare': 0.1 })).toEqual(tenth);
  });
  it('stops at a proved canary', async () => {
    await expect(verify('canary', (proof) => (proof === 'p2' ? 'proved' : 'rejected'))).rejects.toMatchObject({
      code: 'STP1701',
      retryable: false,
    });
  });
  it('does not take a Lean that cannot run for a verdict', async () => {
    await expect(verify('dataset', (proof) => (proof === 'p0' ? 'infra' : 'rejected'))).rejects.toMatchObject({
      code: 'STP1702',
      retryable: true,
    });
  });
});

describe('a proof that is kept', () => {
  const one = statement('theorem a (n : Nat) : n = n', { header: 'import Init' });
  const [sample] = dedupeSamples(
    [{ statementId: one.id, index: 0, text: 'rfl', tokens: 1, logprob: 0, seed: 0, finish: 'stop' }],
    'm',
  );
  const keep = (certificate: ReturnType<typeof certificateOf> | undefined) =>
    foundProof(
      one,
      sample!,
      {
        ...{ sampleId: sample!.id, kind: 'proved', messages: [], premises: [], axioms: [], checkMs: 1 },
        ...{ leanVersion: 'test' },
        ...(certificate === undefined ? {} : { certificate }),
      },
      { origin: 'dataset', round: 0, passRate: 1 },
    );

  it('has the certificate of its own judgement', () => {
    const certificate = certificateOf('import Init', one.statement, 'rfl');
    expect(keep(certificate).certificate).toEqual(certificate);
  });
  it.each([
    ['none', undefined],
    ['one of another statement', certificateOf('import Init', 'theorem a (n : Nat) : n = n + 0', 'rfl')],
    ['one of another proof', certificateOf('import Init', one.statement, 'simp')],
    ['one under another header', certificateOf(LIBRARY_HEADER, one.statement, 'rfl')],
  ])('is refused with %s', (_, certificate) => {
    expect(() => keep(certificate)).toThrow(expect.objectContaining({ code: 'STP1402' }));
  });
});
