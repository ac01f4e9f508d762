/** The files of kept proofs, split if one would be too much for a check. Real Lean: about five seconds of a core. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import type { ObjectStore, Proved } from '@stp/config/records';
import { proved } from '@stp/config/testing';
import { checkFile, type FileReport, markedProof } from '@stp/lean-verifier';
import { coreEnvironment } from '@stp/lean-verifier/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeCheckedProofs } from '../../activities/report/write-checked-proofs.ts';
import type { GrownRecord } from '../../activities/round/library.ts';
import { keptName } from '../../activities/round/proofs-file.ts';
import { openStore } from '../../infra/stores/open-store.ts';

const limits = resolveConfig({ preset: 'smoke' }).verification;
let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-proofs-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Stores the proofs with real checks, which have memory for so many proofs of a file; which theorems each that ended was asked about. */
async function write(
  kept: readonly Proved[],
  proofsInMemory = Number.POSITIVE_INFINITY,
  library: readonly GrownRecord[] = [],
) {
  const environment = await coreEnvironment();
  const checked: string[][] = [];
  let looks = 0;
  const ports = {
    store: async () => store,
    scratch: async () => directory,
    sources: { modules: async () => [{ module: 'Stp.Base', text: 'theorem base : 1 = 1 := rfl\n' }] },
    checkFile: async (_run: string, path: string): Promise<FileReport> => {
      const report = await checkFile(path, environment, { scratchDirectory: directory });
      looks++;
      const ofFile = report.theorems.filter(({ name }) => name.startsWith('Kept.')).length;
      if (ofFile > proofsInMemory)
        return { ...report, outcome: 'unchecked', theorems: [], exit: 'memory', reason: 'memory' };
      checked.push(report.theorems.map(({ name }) => name).filter((name) => name.startsWith('Kept.')));
      return report;
    },
  };
  const ref = await writeCheckedProofs(ports, { run: 'test', kept, library, limits }, new AbortController().signal);
  return { ref, checked, looks };
}
const stored = async (): Promise<string[]> =>
  (await readdir(join(directory, 'store'))).filter((name) => name.endsWith('.lean')).sort();
const proof = (index: number, more: Partial<Proved> = {}): Proved =>
  proved(`theorem a : ${index} = ${index}`, 'exact (fun _ => rfl) base', { header: '', ...more });

it('proofs of an ordinary run stand in one file', async () => {
  const kept = [proof(1), proof(2)];
  const { ref, checked } = await write(kept);
  expect(await stored()).toEqual(['proofs.lean']);
  expect(checked).toEqual([kept.map(keptName)]);
  expect(ref).toMatchObject({ uri: `${store.root}/proofs.lean`, count: 2 });
  expect((await store.get(ref)).toString()).not.toContain('File 1');
});

it('no proofs are a file without theorems', async () => {
  const { ref } = await write([]);
  expect(ref.count).toBe(0);
});

it('what would be read no more, or take too long, stands in files that Lean accepts one by one', {
  tags: ['slow'],
}, async () => {
  // 300 proofs of 16,000 characters are 4.8 MB, more than is read of a file; the last two took a minute and a half each.
  const padding = `\n-- ${'x'.repeat(15_900)}`;
  const large = Array.from({ length: 300 }, (_, index) => proof(index, { proof: `${proof(0).proof}${padding}` }));
  const slow = [proof(400, { checkMs: 90_000 }), proof(401, { checkMs: 90_000 })];
  const kept = [...large, ...slow];
  const { ref, checked } = await write(kept);
  expect(checked.length).toBeGreaterThan(2);
  expect(checked.flat()).toEqual(kept.map(keptName));
  expect(checked.at(-1)).toEqual([keptName(slow[1]!)]);
  expect(await stored()).toEqual(
    [...checked.keys()].map((index) => (index === 0 ? 'proofs.lean' : `proofs-${index + 1}.lean`)).sort(),
  );
  expect((await store.get(ref)).toString()).toContain(
    'File 1 of the proofs of one run, which goes on in proofs-2.lean',
  );
  expect(ref.count).toBe(checked[0]!.length);
});

it('what Lean has no memory for is cut again, and every file says which it is', async () => {
  const kept = [1, 2, 3, 4, 5, 6, 7].map((index) => proof(index));
  const { ref, checked, looks } = await write(kept, 2);
  expect(checked).toEqual(
    [kept.slice(0, 2), kept.slice(2, 4), kept.slice(4, 6), kept.slice(6)].map((part) => part.map(keptName)),
  );
  // Of all seven, and of the first four; three more would be too many.
  expect(looks - checked.length).toBe(2);
  expect(await stored()).toEqual(['proofs-2.lean', 'proofs-3.lean', 'proofs-4.lean', 'proofs.lean']);
  expect(ref.count).toBe(2);
  const third = await store.stat('proofs-3.lean');
  expect((await store.get(third!)).toString()).toContain('File 3 of the proofs of one run, which began in proofs.lean');
});

it('a single proof that Lean has no memory for is an error, which may be tried again', async () => {
  await expect(write([proof(1), proof(2)], 0)).rejects.toMatchObject({ code: 'STP1203', retryable: true });
});

it('nothing is stored where one file is refused', async () => {
  const kept = [proof(1, { checkMs: 90_000 }), proof(2, { proof: 'exact nonsense', checkMs: 90_000 })];
  await expect(write(kept)).rejects.toMatchObject({ code: 'STP1203', retryable: false });
  expect(await readdir(join(directory, 'store')).catch(() => [])).not.toContain('proofs.lean');
});

it.each([
  ['no more grown theorems than their proofs rest on', ['Grown.g2'], { looks: 1, grown: ['theorem g2'] }],
  ['all that were marked where a proof does not hold so', [], { looks: 2, grown: ['theorem g1', 'theorem g2'] }],
])('hold %s', async (_, restsOn, expected) => {
  const lemma = { round: 0, generation: 0, origin: 'conjecture' as const, statementId: 'l', header: '', premises: [] };
  const library: GrownRecord[] = [
    { ...lemma, name: 'Grown.g1', statement: 'theorem l (n : Nat) : n + 0 = n', proof: 'rfl', marks: ['simp'] },
    {
      ...lemma,
      name: 'Grown.g2',
      statement: 'theorem l (n m : Nat) : Nat.gcd n m = Nat.gcd m n',
      proof: 'exact Nat.gcd_comm n m',
      marks: ['simp'],
    },
  ];
  const statement = 'theorem a (n m : Nat) : Nat.gcd (n + 1) (m * m) = Nat.gcd (m * m) (n + 1)';
  const kept = proved(statement, markedProof('simp', 'Grown.marked2'), { header: '', restsOn });
  const { ref, looks } = await write([kept], undefined, library);
  const grown = (await store.get(ref)).toString().match(/^theorem g\d/gm);
  expect({ looks, grown }).toEqual(expected);
});
