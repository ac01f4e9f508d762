/**
 * Claimed proofs, judged as objects without a screen: a trick in a text that Lean accepts is not in the object, or the
 * second kernel refuses it. Real Lean; some twenty seconds of a core.
 */
import { readdirSync, rmSync, watch } from 'node:fs';
import { execaSync } from 'execa';
import { afterAll, describe, expect, type TestContext, test } from 'vitest';
import { machineSandbox } from '../../../../test/support/sandbox.ts';
import { claimOf } from '../../testing/claim.ts';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { limitClasses } from '../verdict/limits.ts';
import type { Claim, Confirmation } from './compile-claims.ts';
import { confirmProofs } from './confirm-proofs.ts';

const environment = await coreEnvironment();
const sandbox = (await machineSandbox(environment)) ?? undefined;
const scratchDirectory = scratchFolder();
afterAll(() => rmSync(scratchDirectory, { recursive: true, force: true }));

async function confirm(
  claims: readonly Pick<Claim, 'signature' | 'proofText'>[],
  header = '',
  folder = scratchDirectory,
): Promise<readonly Confirmation[]> {
  const found = await confirmProofs(
    header,
    claims.map(({ signature, proofText }) => claimOf(signature, proofText)),
    {
      processContext: { environment, workingDirectory: folder, sandbox },
      scratchDirectory: folder,
      limits: limitClasses({ candidateTimeoutMs: 2_500, memoryBytesMax: 2_147_483_648 }).big,
      writtenUnder: header,
      indexFolder: null,
      onDisagreement: null,
      signal: AbortSignal.timeout(280_000),
    },
  );
  expect(readdirSync(folder)).toEqual([]);
  return found;
}

const kinds = (found: readonly Confirmation[]): string[] => found.map(({ kind }) => kind);

const SKIP = 'set_option debug.skipKernelTC true in decide +kernel';
const HONEST = { signature: ' (a b : Nat) : a + b = b + a', proofText: '  omega' };
const FALSE = ' : (1 : Nat) = 2';
const DEEP = ' : (1 : Nat) = 2 ∧ Nat.rec (motive := fun _ => Bool) false (fun _ b => !b) 100001 = true';

describe('a proof that goes past Lean’s kernel', () => {
  test.each<[string, string, string]>([
    ['says so', FALSE, `  ${SKIP}`],
    ['hides behind what only looks like a comment', FALSE, `  let rec /--/ " -/ f : Nat := 0\n  ${SKIP} /- " -/`],
    ['hides behind interpolated strings', FALSE, `  try intro m!"{"\n  ${SKIP}\n  try intro "}"`],
    ['has a part that no kernel with a small stack can follow', DEEP, `  ${SKIP}`],
  ])('and %s is refused', async (_, signature, proofText) => {
    const [found] = await confirm([{ signature, proofText }]);
    expect(found).toMatchObject({ kind: 'rejected' });
    expect(found!.reason).toMatch(/the second kernel refuses it/);
  });

  test.each(['lcProof', 'unsafeCast True.intro', 'lcUnreachable'])(
    'and rests on what is unsafe in an import is not proved: %s',
    async (term) => {
      const claim = { signature: FALSE, proofText: `  exact ${term}` };
      const [found] = await confirm([claim], 'set_option debug.skipKernelTC true\n');
      expect(found!.kind).not.toBe('proved');
      expect(found!.reason).toMatch(/declined|rests on/);
    },
  );

  test('is checked at any depth if it is valid', { tags: ['slow'] }, async () => {
    const proofText = `  set_option debug.skipKernelTC true in decide +kernel`;
    const signature = ' : Nat.rec (motive := fun _ => Bool) false (fun _ b => !b) 100001 = true';
    expect(kinds(await confirm([{ signature, proofText }]))).toEqual(['proved']);
  });
});

describe('what a proof leaves behind', () => {
  test('helps no other, and hinders none', async () => {
    const leaves = `  trivial)
theorem helper : (1 : Nat) = 2 := by ${SKIP}
set_option maxRecDepth 10
theorem other : True := (by
  trivial`;
    const found = await confirm([
      { signature: ' : True', proofText: leaves },
      { signature: FALSE, proofText: '  exact helper' },
      HONEST,
    ]);
    expect(kinds(found)).toEqual(['rejected', 'rejected', 'proved']);
  });

  test('is told by name: declarations, axioms, instances, entries that change what others mean', async () => {
    const closing = (command: string) => ({
      signature: ' : True',
      proofText: `  trivial)\n${command}\ntheorem other : True := (by\n  trivial`,
    });
    const found: string[] = [];
    for (const command of [
      'axiom cheat : False',
      'theorem lemma_of_nobody : True := trivial',
      'instance : Inhabited (Nat → Nat) := ⟨id⟩',
      'attribute [simp] Nat.add_comm',
      'partial def loop (n : Nat) : Nat := loop n',
    ])
      found.push((await confirm([closing(command)]))[0]!.reason);
    expect(found).toEqual([
      expect.stringMatching(/holds an axiom constant that belongs to no proof: cheat/),
      expect.stringMatching(/holds a theorem that belongs to no proof: lemma_of_nobody/),
      expect.stringMatching(/belongs to no proof: inst/),
      expect.stringMatching(/holds a theorem that belongs to no proof: other/),
      expect.stringMatching(/belongs to no proof: /),
    ]);
  });

  test('of valid kinds is accepted, all in one module: lemmas, matches, local functions, equations of what it used', async () => {
    const looks = new Set<string | null>();
    const watcher = watch(scratchDirectory, (_, name) => looks.add(name));
    const found = await confirm([
      HONEST,
      {
        signature: ' (n : Nat) : n = n ∨ n = 0',
        proofText: '  match n with\n  | 0 => exact Or.inr rfl\n  | k + 1 => exact Or.inl rfl',
      },
      {
        signature: ' (n : Nat) : n = n ∨ n = 0',
        proofText: '  match n with\n  | 0 => exact Or.inr rfl\n  | k + 1 => exact Or.inl rfl',
      },
      { signature: ' (xs : List Nat) : (xs ++ []).length = xs.length', proofText: '  simp [List.append]' },
      { signature: ' : (let x := 1; x + 1) = 2', proofText: '  decide' },
      {
        signature: ' (n : Nat) : (match n with | 0 => 0 | k + 1 => k + 1) = n',
        proofText: '  cases n <;> rfl',
      },
      { signature: '.{u} {α : Sort u} (a : α) : a = a', proofText: '  rfl' },
      {
        signature: ' (α : Type _) (p : α → Prop) (h : ∀ x, p x) (x : α) : ¬¬p x',
        proofText: '  exact fun no => no (h x)',
      },
      {
        signature: ' (n : Nat) : n < n + 1',
        proofText:
          '  have up : ∀ m : Nat, m < m + 1 := by\n    intro m\n    induction m with\n    | zero => decide\n    | succ m ih => exact Nat.succ_lt_succ ih\n  exact up n',
      },
    ]);
    watcher.close();
    expect(found.map(({ kind, reason }) => reason || kind)).toEqual(found.map(() => 'proved'));
    expect(looks.size).toBe(1);
  });
});

describe('a proof whose module Lean cannot write', () => {
  const many = Array.from({ length: 40 }, () => HONEST);

  /** Runs work on a disk of that many KiB. Skips the test where this user may mount nothing. */
  async function onDisk(
    kibibytes: number,
    { skip }: TestContext,
    play: (folder: string) => Promise<void>,
  ): Promise<void> {
    const folder = scratchFolder();
    try {
      const words = ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', folder];
      const mounted = execaSync('mount', words, { reject: false });
      if (mounted.failed) {
        console.warn(`skipped, no disk can be mounted: ${mounted.stderr}`);
        skip('no disk can be mounted');
      }
      try {
        await play(folder);
      } finally {
        execaSync('umount', [folder]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test.for([24, 48, 64])('is not refused: the disk is full (%i KiB)', async (kibibytes, context) => {
    await onDisk(kibibytes, context, async (folder) => {
      await expect(confirm(many, '', folder)).rejects.toMatchObject({ code: 'ENOSPC' });
    });
  });

  test('is proved on a disk that is nearly full', async (context) => {
    await onDisk(8_192, context, async (folder) => {
      expect(new Set(kinds(await confirm(many, '', folder)))).toEqual(new Set(['proved']));
    });
  });
});

describe('a process beside that of the statements', () => {
  const context = {
    processContext: { environment, workingDirectory: scratchDirectory, sandbox },
    scratchDirectory,
    limits: limitClasses({ candidateTimeoutMs: 2_500, memoryBytesMax: 2_147_483_648 }).big,
    writtenUnder: '',
    indexFolder: null,
    onDisagreement: null,
  };
  const claims = [claimOf(HONEST.signature, HONEST.proofText)];
  const aside = (signal: AbortSignal, isFree = true) => {
    let begun = 0;
    const beside = <T>(work: () => Promise<T>): Promise<T> | null => {
      begun += 1;
      return isFree ? work() : null;
    };
    return { context: { ...context, signal, beside }, begun: () => begun };
  };

  test('compiles the proofs meanwhile, if there may be one; the verdicts are the same', async () => {
    const wrong = [...claims, claimOf(' : nowhere', '  trivial')];
    for (const [isFree, asked, expected] of [
      [true, wrong, ['proved', 'header_error']],
      [false, claims, ['proved']],
    ] as const) {
      const { context: own, begun } = aside(AbortSignal.timeout(200_000), isFree);
      expect(kinds(await confirmProofs('', asked, own))).toEqual(expected);
      expect(begun()).toBeGreaterThan(0);
      expect(readdirSync(scratchDirectory)).toEqual([]);
    }
  }, 180_000);

  test('ends with what is given up', async () => {
    const stop = new AbortController();
    const found = confirmProofs('', claims, aside(stop.signal).context);
    setTimeout(() => stop.abort(new Error('given up')), 50);
    await expect(found).rejects.toThrow('given up');
    expect(readdirSync(scratchDirectory)).toEqual([]);
  }, 180_000);
});
