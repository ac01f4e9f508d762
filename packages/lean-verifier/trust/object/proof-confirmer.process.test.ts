/** Which proofs are judged together, and how many at once; nothing is compiled here. */
import { expect, test } from 'vitest';
import { claimOf } from '../../testing/claim.ts';
import type { Confirmation } from './confirm-proofs.ts';
import { ProofConfirmer } from './proof-confirmer.ts';

const PROVED: Confirmation = { kind: 'proved', reason: '', axioms: [] };
const entry = (header: string) => ({ header, statedUnder: '', writtenUnder: '', ...claimOf(' : True', '  trivial') });
const confirm = (confirmer: ProofConfirmer, header: string): Promise<Confirmation> =>
  confirmer.confirm(entry(header), 1_000, new AbortController().signal);

test('proofs under several headers are judged at once, and all have ended when it has settled', async () => {
  const { signal } = new AbortController();
  const bothCame = Promise.withResolvers<void>();
  let came = 0;
  let ended = 0;
  const confirmer = new ProofConfirmer({
    ...({} as ConstructorParameters<typeof ProofConfirmer>[0]),
    signal,
    takeTurn: async <T>() => {
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
    signal,
    takeTurn: async <T>() => {
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
