/** The script search: what it proposes, and that the committed rows are true. Lean: about 3 s for a sample of 60 rows. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { discoverModules, LIBRARY_HEADER } from '@stp/lean-verifier';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { LIBRARY_DIRECTORY, libraryEnvironment } from '../testing/library.ts';
import { runSnippets } from '../testing/problems.ts';
import { Definitions } from './definitions.ts';
import { extractLibrary } from './extract.ts';
import { boundNames, readSignature } from './search/theorem-signature.ts';
import { acceptedScripts } from './search/try-scripts.ts';
import { searchScripts } from './search.ts';

const ROWS_PER_THEOREM_MAX = 10;
const SAMPLE_SIZE = 60;
const rowSchema = z.strictObject({ theorem: z.string(), proof: z.string().startsWith('  '), script: z.string() });
const path = fileURLToPath(new URL('../../../data/sft/search.jsonl', import.meta.url));
const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
const rows = lines.map((line) => rowSchema.parse(JSON.parse(line)));
const { theorems } = await extractLibrary(LIBRARY_DIRECTORY);
const byName = new Map(theorems.map((theorem) => [theorem.name, theorem]));

beforeAll(async () => {
  await libraryEnvironment();
}, 600_000);

const modules = await discoverModules([{ directory: LIBRARY_DIRECTORY, modulePrefix: 'Stp' }]);
const definitions = new Definitions(modules.map(({ source }) => source));
/** The functions that a statement stands on; null stands for the library's header. */
const functionsOf = ({ header, statement }: { header: string | null; statement: string }) =>
  definitions
    .under(header, statement, boundNames(statement))
    .flatMap(({ kind, written }) => (kind === 'function' ? [written] : []));
const scriptsOf = (statement: string) => searchScripts(statement, functionsOf({ header: null, statement }));
const proofs = (statement: string) => scriptsOf(statement).map(({ proof }) => proof);

describe('signatures', () => {
  test('binders one by one, the goal, the functions of goal and hypotheses', () => {
    const statement =
      'theorem a {α : Type} [DecidableEq α] (p : α → Bool) (xs ys : List α) (h : ∀ y, p y = old y) : len (app xs ys) = sumOf (fun x => p x) + Nat.succ (xs.length)';
    const { binders, goal, functions } = readSignature(statement);
    expect(binders.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'α: Type',
      '_: DecidableEq α',
      'p: α → Bool',
      'xs: List α',
      'ys: List α',
      'h: ∀ y, p y = old y',
    ]);
    expect(goal).toMatch(/^len .*length\)$/);
    expect(functions).toEqual(['len', 'app', 'sumOf', 'old']);
  });
});

describe('scripts', () => {
  const forApp = proofs('theorem a {α : Type} (xs ys : List α) : len (app xs ys) = len xs + len ys');

  test('name the variables and functions of the statement', () => {
    expect(forApp).toContain('  rfl');
    expect(forApp).toContain('  simp [len, app]');
    expect(forApp).toContain('  induction xs <;> simp_all [len, app]');
    expect(forApp).toContain('  induction xs with\n  | nil => rfl\n  | cons x xs ih => simp [len, app, ih]');
    expect(forApp).toContain(
      '  induction ys generalizing xs with\n  | nil => cases xs <;> rfl\n  | cons y ys ih => cases xs <;> simp [len, app, ih]',
    );
    expect(new Set(forApp).size).toBe(forApp.length);
  });

  test('a new name does not hide a variable, and each part of a tree has its hypothesis', () => {
    expect(proofs('theorem a (n : Nat) (ns : List Nat) : place n ns = ns').join('\n')).toContain('| cons x ns ih');
    const forTree = proofs('theorem a {α : Type} (t : Tree α) (l : Nat) : size t = l').join('\n');
    expect(forTree).toContain('| node x y r ihx ihr');
  });

  test('hypotheses are used where there are any', () => {
    const scripts = proofs('theorem a (p q : Prop) (h : p ∧ q) : q ∧ p');
    expect(scripts).toContain('  exact ⟨h.2, h.1⟩');
    expect(scripts.join('\n')).not.toContain('induction');
    expect(forApp.join('\n')).not.toContain('exact h');
  });

  test('Lean tells the ones that prove from the others', async () => {
    const theorem = byName.get('Stp.len_app')!;
    const attempts = scriptsOf(theorem.statement).map((script) => ({ theorem, script }));
    const accepted = await acceptedScripts(await libraryEnvironment(), attempts, 1, () => {});
    const proved = accepted.map(({ script }) => script.script);
    expect(proved).toContain('induction, commutative');
    expect(proved).not.toContain('rfl');
    expect(proved).not.toContain('simp');
  });
});

describe('data/sft/search.jsonl', () => {
  test('every row belongs to a library theorem, says something new, and comes from the list', () => {
    expect(rows.length).toBeGreaterThanOrEqual(1000);
    for (const { theorem, proof, script } of rows) {
      const record = byName.get(theorem);
      expect([theorem, record !== undefined]).toEqual([theorem, true]);
      expect(proof).not.toBe(record!.proof);
      const made = searchScripts(record!.statement, functionsOf(record!)).filter((made) => made.proof === proof);
      expect([theorem, made.map(({ script }) => script)]).toEqual([theorem, [script]]);
    }
  });

  test('rows of a theorem are few, distinct, shortest first', () => {
    for (const [theorem, group] of Map.groupBy(rows, (row) => row.theorem)) {
      const texts = group.map(({ proof }) => proof);
      expect([theorem, texts.length <= ROWS_PER_THEOREM_MAX, new Set(texts).size]).toEqual([
        theorem,
        true,
        texts.length,
      ]);
      expect(texts).toEqual([...texts].sort((first, second) => first.length - second.length));
    }
  });

  test('Lean accepts a sample, spread over the file', { tags: ['slow'] }, async () => {
    const sample = Array.from(
      { length: SAMPLE_SIZE },
      (_, index) => rows[Math.floor((index * rows.length) / SAMPLE_SIZE)]!,
    );
    const snippets = sample.map(({ theorem, proof }) => ({
      name: `${theorem}: ${proof}`,
      text: `${byName.get(theorem)!.statement} := by\n${proof}`,
    }));
    const results = await runSnippets(await libraryEnvironment(), LIBRARY_HEADER, snippets);
    const bad = results.filter(({ messages }) =>
      messages.some(({ severity, text }) => severity === 'error' || text.includes('sorry')),
    );
    expect(bad.map(({ name }) => name)).toEqual([]);
    expect(results).toHaveLength(SAMPLE_SIZE);
  });
});
