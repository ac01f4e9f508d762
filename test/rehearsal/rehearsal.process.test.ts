/** Tests the plan that a rehearsal draws from a seed, and what it detects: repeated work, differences, an old Go. */
import { describe, expect, it } from 'vitest';
import type { BucketRequest } from '../../tools/rehearsal/bucket.ts';
import { differences, doneTwice, type Kept } from '../../tools/rehearsal/invariants.ts';
import { isOlder } from '../../tools/rehearsal/needs.ts';
import { FAULT_KINDS, planFaults } from '../../tools/rehearsal/plan.ts';

describe('a plan', () => {
  it('is the same for a seed, and holds every kind of fault', () => {
    const plan = planFaults(7, 20, 3);
    expect(planFaults(7, 20, 3)).toEqual(plan);
    expect(planFaults(8, 20, 3)).not.toEqual(plan);
    expect(plan).toHaveLength(20);
    expect(new Set(plan.map(({ kind }) => kind))).toEqual(new Set(FAULT_KINDS));
    expect(plan.every(({ worker }) => worker >= 0 && worker < 3)).toBe(true);
  });

  it('may have fewer faults than there are kinds', () => {
    expect(planFaults(7, 3, 3)).toHaveLength(3);
  });
});

describe('work done twice', () => {
  const SHARD = 'runs/a/rounds/0-f/shard-0000';
  let at = 0;
  const request = (peer: string, line: string, trouble: string | null = null): BucketRequest => {
    at += 1;
    return { kind: 'request', peer, line, at, trouble };
  };
  const stat = (peer: string, name: string) =>
    request(peer, `GET /storage/v1/b/stp/o/${encodeURIComponent(`${SHARD}/${name}`)}?alt=json`);
  const put = (peer: string, name: string, trouble: string | null = null) => {
    const named = encodeURIComponent(`${SHARD}/${name}`);
    return request(peer, `POST /upload/storage/v1/b/stp/o?name=${named}&uploadType=multipart`, trouble);
  };
  const [SAMPLES, DONE] = ['samples-0123456789ab.jsonl', 'sampled.json'];
  const found = (...requests: BucketRequest[]): string[] => doneTwice(requests, 'runs/a/');

  it('is what was begun when it was finished', () => {
    const first = [stat('one', DONE), put('one', SAMPLES), put('one', DONE)];
    expect(found(...first)).toEqual([]);
    expect(found(...first, stat('two', DONE))).toEqual([]);
    expect(found(...first, stat('two', DONE), put('two', SAMPLES))).toEqual([
      `${SHARD}/sampled.json was there, and was done again`,
    ]);
  });

  it('is not what was given up for lost and ends late', () => {
    expect(
      found(stat('one', DONE), stat('two', DONE), put('two', SAMPLES), put('two', DONE), put('one', SAMPLES)),
    ).toEqual([]);
  });

  it('is not what the bucket refused at first', () => {
    const refused = [stat('one', DONE), put('one', SAMPLES), put('one', DONE, 'status')];
    expect(found(...refused, stat('two', DONE), put('two', SAMPLES))).toEqual([]);
    const lost = [stat('one', DONE), put('one', SAMPLES), put('one', DONE, 'drop-answer')];
    expect(found(...lost, stat('two', DONE), put('two', SAMPLES))).toHaveLength(1);
  });
});

it('names what differs between two runs', () => {
  const kept = (bytes: Record<string, string>, summary: unknown): Kept => ({
    names: Object.keys(bytes).sort(),
    bytes: new Map(Object.entries(bytes)),
    summary,
  });
  const reference = kept({ 'proofs.lean': 'a', 'found.jsonl': 'b' }, { proved: 1 });
  expect(differences(reference, reference)).toEqual([]);
  expect(differences(reference, kept({ 'proofs.lean': 'c', 'other.jsonl': 'b' }, { proved: 2 }))).toEqual([
    'summary.json differs',
    'found.jsonl is missing',
    'other.jsonl is there besides',
    'proofs.lean differs',
  ]);
});

it.each([
  ['1.19.8', '1.25.5', true],
  ['1.25.5', '1.25.5', false],
  ['1.26', '1.25.5', false],
  ['1.25rc1', '1.25.5', true],
])('Go %s is older than %s: %s', (version, than, older) => {
  expect(isOlder(version, than)).toBe(older);
});
