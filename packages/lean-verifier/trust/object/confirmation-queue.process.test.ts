/** Which proofs are judged together, how many at once, and what is begun ahead. */
import { readdirSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { claimOf } from '../../testing/claim.ts';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { limitClasses } from '../verdict/limits.ts';
import type { Confirmation } from './compile-claims.ts';
import { ProofConfirmer } from './confirmation-queue.ts';

const PROVED: Confirmation = { kind: 'proved', reason: '', axioms: [] };
const entry = (header: string) => ({ header, statedUnder: '', writtenUnder: '', ...claimOf(' : True', '  trivial') });
const confirm = (confirmer: ProofConfirmer, header: string): Promise<Confirmation> =>
  confirmer.confirm(entry(header), 1_000, new AbortController().signal);

const LIMITS = limitClasses({ candidateTimeoutMs: 6_000, memoryBytesMax: 3_000_000_000 }).big;

test('proofs under several headers are judged at once, and all have ended when it has settled', async () => {
  const { signal } = new AbortController();
  const bothCame = Promise.withResolvers<void>();
  let came = 0;
  let ended = 0;
  const confirmer = new ProofConfirmer({
    ...({} as ConstructorParameters<typeof ProofConfirmer>[0]),
    limits: LIMITS,
    signal,
    withPermit: async <T>() => {
      came += 1;
      if (came === 2) bothCame.resolve();
      await bothCame.promise;
      ended += 1;
      return [PROVED] as T;
    },
  });
  const found = [confirm(confirmer, 'import A'), confirm(confirmer, 'import B')];
  await confirmer.close();
  expect(ended).toBe(2);
  expect(await Promise.all(found)).toEqual([PROVED, PROVED]);
});

test('a proof whose module cannot be made is rejected with the reason, and the others are judged', async () => {
  const { signal } = new AbortController();
  const confirmer = new ProofConfirmer({
    ...({} as ConstructorParameters<typeof ProofConfirmer>[0]),
    limits: LIMITS,
    signal,
    withPermit: async <T>() => {
      came += 1;
      if (came === 1) throw new Error('the disk is full');
      return [PROVED] as T;
    },
  });
  let came = 0;
  const found = [confirm(confirmer, 'import A'), confirm(confirmer, 'import B')];
  confirmer.flush();
  await expect(found[0]).rejects.toThrow('the disk is full');
  expect(await found[1]).toEqual(PROVED);
});

test('a statement is begun ahead only where proofs come one by one and a process is free, and ends with its proof', async () => {
  const folder = scratchFolder();
  const environment = await coreEnvironment();
  const begun: Promise<unknown>[] = [];
  const opened = (more: object) =>
    new ProofConfirmer({
      ...({} as ConstructorParameters<typeof ProofConfirmer>[0]),
      processContext: { environment, workingDirectory: folder },
      scratchDirectory: folder,
      limits: LIMITS,
      indexFolder: null,
      processes: 2,
      isOneByOne: true,
      signal: new AbortController().signal,
      beside: <T>(work: () => Promise<T>) => {
        const own = work();
        begun.push(own);
        return own;
      },
      ...more,
    });
  const { signal } = new AbortController();
  for (const more of [{ isOneByOne: false }, { beside: () => null }]) {
    const none = opened(more);
    none.stateAhead(entry('import Init'), 1_000, signal);
    await none.close();
  }
  expect(begun).toEqual([]);
  const confirmer = opened({});
  confirmer.stateAhead(entry('import Init'), 1_000, signal);
  await Promise.all(begun);
  expect(begun).toHaveLength(1);
  const stop = new AbortController();
  const other = { ...entry('import Init'), statement: 'theorem other : True' };
  confirmer.stateAhead(other, 1_000, stop.signal);
  stop.abort(new Error('Lean has rejected the proof'));
  confirmer.stateAhead(other, 1_000, stop.signal);
  await Promise.all(begun);
  expect(begun).toHaveLength(2);
  await confirmer.close();
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
}, 120_000);
