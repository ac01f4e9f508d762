/**
 * Tests scripts that share texts, with a Lean of the test: which are read alone, which are known without Lean, and how
 * time is attributed.
 */
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
  /** End a text by an error that `first` does not catch. */
  readonly deep?: readonly string[];
  /** Does Lean say that it met the limit at this script? */
  readonly tellsWhere?: (script: string) => boolean;
}

function lean({ proofs, cost = () => 1, unreadable, hollow = [], deep = [], tellsWhere = () => true }: Rules) {
  const alone: string[] = [];
  let texts = 0;
  let rounds = 0;
  let ms = 0;
  const error = (text: string, line = 0) => [{ severity: 'error' as const, line, column: 0, text }];
  const verdict = (proof: string): Pick<CheckResult, 'kind' | 'messages'> => {
    const scripts: string[] = proof.match(/\bs\d+\b/gu) ?? [];
    const isShared = scripts.length > 1;
    if (!isShared) alone.push(scripts[0]!);
    if (scripts.includes(unreadable!)) return { kind: 'rejected', messages: error('unexpected token') };
    let left = LIMIT;
    for (const script of scripts) {
      left -= cost(script);
      const line = 1 + proof.split('\n').findIndex((one) => one.trim() === script);
      const isTold = tellsWhere(script);
      if (left < 0) return { kind: 'timeout', messages: error('(deterministic) timeout at `whnf`', isTold ? line : 0) };
      if (deep.includes(script)) return { kind: 'rejected', messages: error('maximum recursion depth', line) };
      if (proofs.includes(script)) return { kind: 'proved', messages: [] };
      if (hollow.includes(script)) return { kind: isShared ? 'proved' : 'rejected', messages: [] };
    }
    return { kind: 'rejected', messages: error('The tactic succeeded but …', proof.split('\n').length) };
  };
  return {
    alone,
    get texts() {
      return texts;
    },
    /** Calls, each of which may start Lean. */
    get rounds() {
      return rounds;
    },
    get ms() {
      return ms;
    },
    check: async (candidates: readonly { id: string; proof: string }[]): Promise<CheckResult[]> => {
      rounds += 1;
      return candidates.map(({ id, proof }) => {
        texts += 1;
        ms += TEXT_MS;
        return { id, ...verdict(proof), premises: [], axioms: [], checkMs: TEXT_MS, fromCache: false };
      });
    },
  };
}

const scripts = (count: number, price = 2) =>
  Array.from({ length: count }, (_, index) => ({ text: `  s${index}`, price }));
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

it('finds a proof where single readings do, and calls none failed, wherever it stands, whatever its neighbours do', async () => {
  for (let index = 0; index < 40; index++) {
    const greedy = (script: string): number => (Number(script.slice(1)) % 7 === 3 ? 60 : 1);
    const own = lean({
      ...{ proofs: [`s${index}`, 's39'], cost: greedy, unreadable: 's5', hollow: ['s1', 's20'] },
      ...{ deep: ['s11', 's12'].filter((one) => one !== `s${index}`), tellsWhere: (one: string) => one !== 's24' },
    });
    const [outcomes] = await trySharing([task(40)], own.check);
    const isProof = (at: number): boolean => at === 39 || (at === index && index !== 5 && greedy(`s${index}`) < LIMIT);
    const proved = outcomes!.flatMap(({ kind }, at) => (kind === 'proved' ? [at] : []));
    expect(proved).not.toEqual([]);
    expect(proved.filter((at) => !isProof(at) || !own.alone.includes(`s${at}`))).toEqual([]);
    expect(outcomes!.flatMap(({ kind }, at) => (kind === 'failed' && isProof(at) ? [at] : []))).toEqual([]);
  }
});

it('goes on behind a text that looked like a proof and was none', async () => {
  const own = lean({ proofs: ['s30'], hollow: ['s2', 's17'] });
  const [outcomes] = await trySharing([task(32)], own.check);
  expect(outcomes!.map(({ kind }) => kind).indexOf('proved')).toBe(30);
  expect(outcomes!.slice(0, 30).every(({ kind }) => kind === 'failed')).toBe(true);
});

it('blames the script that Lean names, and reads alone only one that had less than the whole limit', async () => {
  const deep = lean({ proofs: [], deep: ['s3'] });
  const [failed] = await trySharing([task(16)], deep.check);
  expect([failed!.every(({ kind }) => kind === 'failed'), deep.texts, deep.alone]).toEqual([true, 5, []]);
  // Errors at many scripts do not cost a call each.
  const each = lean({ proofs: [], deep: scripts(16).map(({ text }) => text.trim()) });
  const [ended] = await trySharing([task(16)], each.check);
  expect([ended!.every(({ kind }) => kind === 'failed'), each.rounds]).toEqual([true, 3]);
  const costs: Readonly<Record<string, number>> = { s0: 60, s9: 45, s10: 45 };
  const greedy = lean({ proofs: ['s10'], cost: (script) => costs[script] ?? 1 });
  const [outcomes] = await trySharing([task(16)], greedy.check);
  expect(outcomes!.map(({ kind }) => kind).indexOf('proved')).toBe(10);
  expect(greedy.alone).not.toContain('s0');
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

it('blames the same script below lines that all scripts share', async () => {
  const blamed = async (above: string) => {
    const own = lean({ proofs: ['s7'], deep: ['s3'], cost: (script) => (script === 's5' ? 60 : 1) });
    const [outcomes] = await trySharing([{ ...task(16), proofOf: (text) => above + text }], own.check);
    return { kinds: outcomes!.map(({ kind }) => kind), alone: own.alone, texts: own.texts };
  };
  const plain = await blamed('');
  expect(plain.kinds.indexOf('proved')).toBe(7);
  expect(await blamed('open Marks in\nopen More in\n')).toEqual(plain);
});

it('puts scripts into one text only if they open the same marks, and stops at a proof under either', async () => {
  const own = lean({ proofs: ['s9'] });
  const texts: string[] = [];
  const marked = scripts(12).map((script, index) => ({ ...script, marks: index < 8 ? null : 'Marks' }));
  const proofOf = (text: string, marks: string | null) => {
    texts.push(text);
    return marks === null ? text : `open ${marks} in\n${text}`;
  };
  const [outcomes] = await trySharing([{ ...task(12), scripts: marked, proofOf }], own.check);
  expect(outcomes!.map(({ kind }) => kind).indexOf('proved')).toBe(9);
  expect(texts.filter((text) => /\bs7\b/u.test(text) && /\bs8\b/u.test(text))).toEqual([]);
  expect(own.alone).toContain('s9');
});
