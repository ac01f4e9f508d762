/**
 * Tests disproofs by real Lean: false statements get one, true statements none. Some twenty seconds of a core; a minute
 * with the slow ones.
 */
import { rmSync } from 'node:fs';
import type { Verifier } from '@stp/lean-verifier';
import { openVerifier } from '@stp/lean-verifier';
import { coreEnvironment, scratchFolder } from '@stp/lean-verifier/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineSandbox } from '../../../test/support/sandbox.ts';
import type { ContextTask } from '../context/statement-contexts.ts';
import { disprove } from './disprove.ts';

const folder = scratchFolder();
let verifier: Verifier;
let task: ContextTask;

beforeAll(async () => {
  const environment = await coreEnvironment();
  const sandbox = (await machineSandbox(environment)) ?? undefined;
  const processContext = { environment, workingDirectory: folder, ...(sandbox === undefined ? {} : { sandbox }) };
  const libraryHeader = 'import Init';
  verifier = await openVerifier({
    environment,
    libraryHeader,
    processes: 2,
    cacheDirectory: null,
    scratchDirectory: folder,
    ...(sandbox === undefined ? {} : { sandbox }),
  });
  const memoryBytesMax = 3_000_000_000;
  task = {
    processContext,
    libraryHeader,
    scratchDirectory: folder,
    memoryBytesMax,
    indexFolder: null,
    source: () => null,
  };
}, 280_000);
afterAll(async () => {
  await verifier?.close();
  rmSync(folder, { recursive: true, force: true });
});

const asked = (statement: string, header: string | null = null) => disprove({ header, statement }, { verifier, task });

const FALSE: Readonly<Record<string, readonly [words: RegExp, statement: string, header?: string]>> = {
  'of one number': [/^It fails for n = 4\d\.$/u, 'theorem a (n : Nat) : n < 40'],
  'under a hypothesis': [/^It fails for n = \d+\.$/u, 'theorem b (n : Nat) (h : 3 < n) : n < 6'],
  'with a value after a hypothesis': [/n = 0, m = /u, 'theorem c (n : Nat) (h : n < 1) (m : Nat) : m ≤ n'],
  'of lists of anything': [/xs = \[/u, 'theorem d {α : Type} (xs ys : List α) : xs ++ ys = ys ++ xs'],
  'with a class': [/α = /u, 'theorem e {α : Type} [DecidableEq α] (x y : α) : x = y'],
  'in any universe': [/x = ULift\.up/u, 'theorem f.{u} {α : Type u} (x y : α) : x = y'],
  'of a function': [/f = fun/u, 'theorem g (f : Nat → Nat) (n : Nat) : f n = n'],
  'of propositions': [/p = /u, 'theorem h (p q : Prop) : p → q'],
  'of whole numbers': [/i = -\d+\.$/u, 'theorem i (i : Int) : 0 ≤ i'],
  'without variables': [/^It is false/u, 'theorem j : (1 : Nat) = 2'],
  'over definitions of the header': [
    /^It fails for n = /u,
    'theorem k (n : Nat) : twice n = n',
    'import Init\ndef twice (n : Nat) : Nat := n + n',
  ],
  'of a type without known values': [/a = /u, 'theorem l (a : Fin 5) : a = 0'],
};

const FAST: ReadonlySet<string> = new Set(['with a value after a hypothesis', 'over definitions of the header']);
/** Kinds of binders that differ only in their values. */
const SLOW = { tags: ['slow'] };

describe('a false statement is disproved', () => {
  describe.each(Object.entries(FALSE))('%s', (kind, [words, statement, header]) => {
    test('by values', FAST.has(kind) ? {} : SLOW, async () => {
      const found = await asked(statement, header);
      expect(found).toMatchObject({ verdict: 'disproved', words: expect.stringMatching(words) });
      expect(found.statement).toMatch(/^theorem disproof(\.\{u\})? : ¬ \(/u);
      expect(found).toMatchObject({ certificate: { checks: expect.arrayContaining([expect.anything()]) } });
    });
  });

  test('by a proof of its negation that anybody can check', async () => {
    const found = await asked('theorem a (xs ys : List Nat) : xs ++ ys = ys ++ xs');
    if (found.verdict !== 'disproved') throw new Error(found.words);
    const { statement, proof } = found;
    expect(statement).toBe('theorem disproof : ¬ (∀ (xs ys : List Nat), xs ++ ys = ys ++ xs)');
    expect((await verifier.check([{ id: 'a', header: null, statement, proof }]))[0]!.kind).toBe('proved');
  });
});

const NOT_FALSE: Readonly<Record<string, readonly [statement: string, header?: string]>> = {
  'that is true': ['theorem a (a b : Nat) : a + b = b + a'],
  'that holds because nothing meets its hypothesis': ['theorem b (n : Nat) (h : n < n) : n = 7'],
  'under a variable that is false, which a theorem of the negation would have as well': [
    'theorem c : (1 : Nat) = 2',
    'import Init\nvariable (never : False)\ninclude never',
  ],
  'about a variable of the header': ['theorem d : (1 : Nat) = 2 ∨ k = k', 'import Init\nvariable (k : Fin 0)'],
  'whose name opens a namespace': ['theorem Nat.f : gcd (0 - 1) 0 = 0', 'import Init\nopen Int'],
  'that hangs on columns': [
    `theorem g : (id fun _ : Nat => by exact @id Nat\n${' '.repeat(42)}5) 3 = 5`,
    'import Init',
  ],
  'whose definition plain Lean finds by its name': [
    'theorem h (x : StateM Nat Nat) (e : x = (fun s => (s, s))) : x.run 0 = (7, 7)',
    'import Init\ndef StateM.run (_x : StateM Nat Nat) (_s : Nat) : Id (Nat × Nat) := (7, 7)',
  ],
  'whose variable Lean binds by itself': ['theorem e : x = x', 'import Init\nset_option autoImplicit true'],
};

describe('a statement is not disproved', () => {
  test.each(Object.entries(NOT_FALSE))('%s', async (_, [statement, header]) => {
    expect((await asked(statement, header)).verdict).toBe('unknown');
  });

  test('that Lean or the screen refuses, and the answer says why', async () => {
    expect(await asked('theorem a (n : Nat) : nowhere n = n')).toMatchObject({
      verdict: 'invalid',
      words: expect.stringContaining('nowhere'),
    });
    expect(await asked('axiom a : False')).toMatchObject({ verdict: 'invalid' });
  });
});
