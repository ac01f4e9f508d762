/** Scripts that share texts, over a Lean of the test: what is read alone, what is known without, whose time is whose. */
import type { CheckResult } from '@stp/lean-verifier';
import { expect, it } from 'vitest';
import { trySharing } from './shared-tries.ts';

const LIMIT = 50;
const TEXT_MS = 10;

interface Rules {
  readonly proofs: readonly string[];
  /** What each takes of the limit that all scripts of a text share. */
  readonly cost?: (script: string) => number;
  /** Ends a text where it stands, however many scripts stand behind it. */
  readonly unreadable?: string;
  /** Close the goal among others, and are no proof alone. */
  readonly hollow?: readonly string[];
}

function lean({ proofs, cost = () => 1, unreadable, hollow = [] }: Rules) {
  const alone: string[] = [];
  let texts = 0;
  let ms = 0;
  const error = (text: string) => [{ severity: 'error' as const, line: 1, column: 0, text }];
  const verdict = (proof: string): Pick<CheckResult, 'kind' | 'messages'> => {
    const scripts = proof.match(/\bs\d+\b/gu) ?? [];
    const isShared = scripts.length > 1;
    if (!isShared) alone.push(scripts[0]!);
    if (scripts.includes(unreadable!)) return { kind: 'rejected', messages: error('unexpected token') };
    let left = LIMIT;
    for (const script of scripts) {
      left -= cost(script);
      if (left < 0) return { kind: 'timeout', messages: error('(deterministic) timeout at `whnf`') };
      if (proofs.includes(script)) return { kind: 'proved', messages: [] };
      if (hollow.includes(script)) return { kind: isShared ? 'proved' : 'rejected', messages: [] };
    }
    return { kind: 'rejected', messages: error('The tactic provided to `fail_if_success` succeeded but …') };
  };
  return {
    alone,
    get texts() {
      return texts;
    },
    get ms() {
      return ms;
    },
    check: async (candidates: readonly { id: string; proof: string }[]): Promise<CheckResult[]> =>
      candidates.map(({ id, proof }) => {
        texts += 1;
        ms += TEXT_MS;
        return { id, ...verdict(proof), premises: [], axioms: [], checkMs: TEXT_MS, fromCache: false };
      }),
  };
}

const scripts = (count: number, price = 2) =>
  Array.from({ length: count }, (_, place) => ({ text: `  s${place}`, price }));
const task = (count: number, price?: number) => ({
  statement: { id: 'a', header: null, statement: 'theorem t : True' },
  scripts: scripts(count, price),
});

it('reads scripts that all fail in few texts, and none alone', async () => {
  const own = lean({ proofs: [] });
  const [outcomes] = await trySharing([task(32)], own.check);
  expect(outcomes!.map(({ kind }) => kind)).toEqual(scripts(32).map(() => 'failed'));
  expect([own.texts, own.alone]).toEqual([2, []]);
});

it('finds what single readings find, wherever it stands, whatever its neighbours do', async () => {
  for (let place = 0; place < 40; place++) {
    const greedy = (script: string): number => (Number(script.slice(1)) % 7 === 3 ? 60 : 1);
    const own = lean({ proofs: [`s${place}`, 's39'], cost: greedy, unreadable: 's5', hollow: ['s1', 's20'] });
    const [outcomes] = await trySharing([task(40)], own.check);
    const isProof = greedy(`s${place}`) < LIMIT && place !== 5;
    // `s39` is a proof in every case.
    expect(outcomes!.some(({ kind }) => kind === 'proved')).toBe(true);
    if (isProof) {
      expect(outcomes![place]!.kind).toBe('proved');
      expect(outcomes!.slice(0, place).every(({ kind }) => kind === 'failed')).toBe(true);
      expect(own.alone).toContain(`s${place}`);
    }
  }
});

it('goes on behind a text that looked like a proof and was none', async () => {
  const own = lean({ proofs: ['s30'], hollow: ['s2', 's17'] });
  const [outcomes] = await trySharing([task(32)], own.check);
  expect(outcomes!.map(({ kind }) => kind).indexOf('proved')).toBe(30);
  expect(outcomes!.slice(0, 30).every(({ kind }) => kind === 'failed')).toBe(true);
});

it('says of what stands behind a proof only what was read', async () => {
  const own = lean({ proofs: ['s0'] });
  const [outcomes] = await trySharing([task(16)], own.check);
  expect(outcomes!.map(({ kind }) => kind).slice(0, 4)).toEqual(['proved', 'failed', 'failed', 'failed']);
  expect(outcomes!.slice(4).map(({ kind }) => kind)).toEqual(
    outcomes!.slice(4).map(() => expect.stringMatching(/failed|unknown/u)),
  );
  expect(own.texts).toBeLessThan(12);
});

it('shares the time of a text among its scripts by their prices, and counts all of it', async () => {
  const own = lean({ proofs: ['s9'], cost: (script) => (script === 's4' ? 80 : 1) });
  const tasks = [task(20), { ...task(3), scripts: [...scripts(2), { text: '  s2', price: 6 }] }];
  const [first, second] = await trySharing(tasks, own.check);
  const sum = [...first!, ...second!].reduce((all, { ms }) => all + ms, 0);
  expect(sum).toBeCloseTo(own.ms);
  expect(second!.map(({ ms }) => ms)).toEqual([2, 2, 6]);
  // Dear scripts stand in texts with fewer others.
  const dear = lean({ proofs: [] });
  await trySharing([task(8, 40)], dear.check);
  expect(dear.texts).toBe(4);
});
