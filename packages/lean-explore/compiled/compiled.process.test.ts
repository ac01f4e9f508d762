/** Theorems of a small project, compiled by real Lean here, stated again as problems. Some ten seconds of a core. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { coreEnvironment, noSandbox, scratchFolder } from '@stp/lean-verifier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompiledModuleStatements, type CompiledSetOptions, compiledStatements } from './compiled-statements.ts';
import { ModuleGraph, modulesBelow } from './module-graph.ts';

const environment = await coreEnvironment();
const library = execFileSync(environment.executable, ['--print-libdir'], { encoding: 'utf8' }).trim();
const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SOURCES = {
  'Shop.Basic': `
def double (n : Nat) : Nat := n + n
class Priced (α : Type u) where
  price : α → Nat
instance : Priced Nat := ⟨id⟩
theorem double_zero : double 0 = 0 := rfl
`,
  'Shop.Facts': `import Shop.Basic
variable {α : Type u} {β : Type v}
@[simp] theorem double_one : double 1 = 2 := rfl
theorem «double of two» : double 2 = 4 := rfl
theorem List.twice_length (l : List α) : (l ++ l).length = double l.length := by simp [double]
theorem hidden_names : ∀ {γ : Type u} (_ : γ) (l : List γ), (l ++ []).length = l.length := by simp
theorem matched (o : Option Nat) : (match o with | none => 0 | some n => n) ≤ (o.getD 0) := by cases o <;> simp
theorem priced [Priced α] [Priced β] (a : α) (b : β) : Priced.price a + Priced.price b = Priced.price b + Priced.price a :=
  Nat.add_comm ..
theorem same_again : double 1 = 2 := double_one
private theorem secret : double 3 = 6 := rfl
def triple (n : Nat) : Nat := n + n + n
theorem triple_one : triple 1 = 3 := rfl
@[deprecated double_one (since := "2026-01-01")] theorem old_one : 2 = double 1 := rfl
theorem last_one : double 1 + 0 = 2 := double_one
`,
  'Shop.Beside': `import Shop.Basic
theorem double_three : double 3 = 6 := rfl
`,
  'Shop.Above': `import Shop.Facts
import Shop.Beside
theorem above : double 4 = 8 := rfl
theorem double_one_above : double 1 = 2 := rfl
`,
} as const;

function compile(name: string, source: string): void {
  const path = join(folder, ...name.split('.'));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.lean`, source);
  execFileSync(environment.executable, [`--root=${folder}`, '-o', `${path}.olean`, `${path}.lean`], {
    cwd: folder,
    env: { ...process.env, LEAN_PATH: folder },
  });
}

async function statedFrom(options: Partial<CompiledSetOptions> = {}): Promise<Map<string, CompiledModuleStatements>> {
  const own = modulesBelow(folder).filter((name) => name.startsWith('Shop'));
  const stated = await Array.fromAsync(
    compiledStatements({
      graph: ModuleGraph.read(own, [folder, library]),
      environment: { ...environment, searchPath: [folder] },
      sandbox: noSandbox('a test'),
      scratchDirectory: join(folder, 'scratch'),
      searchPath: [folder, library],
      indexFolder: null,
      charsMax: 1_000,
      isPremiseModule: (name) => name.startsWith('Shop'),
      isAskedModule: (name) => name.startsWith('Shop'),
      isAskedName: () => true,
      isPrelude: false,
      withPremises: false,
      width: 2,
      ...options,
    }),
  );
  return new Map(stated.map((one) => [one.module.name, one]));
}

let all: Map<string, CompiledModuleStatements>;
beforeAll(async () => {
  for (const [name, source] of Object.entries(SOURCES)) compile(name, source);
  mkdirSync(join(folder, 'scratch'));
  all = await statedFrom();
});
const facts = () => all.get('Shop.Facts')!;
const signature = (name: string) => facts().theorems.find((theorem) => theorem.name === name)?.signature;

describe('a theorem of a compiled module', () => {
  it('is stated under the most that knows neither its module nor what imports it', () => {
    expect(new Set(facts().theorems.map(({ header }) => header))).toEqual(new Set(['import Shop.Beside']));
    expect(all.get('Shop.Above')!.theorems[0]!.header).toBe('import Shop.Beside\nimport Shop.Facts');
    expect(all.get('Shop.Basic')!.theorems).toEqual([]);
  });

  it('keeps its meaning: universes, instances, a match, names of lists opened for it, and names in «»', () => {
    expect(signature('priced')).toMatch(/^\.\{u, v\} \{α : Type u\} \{β : Type v\} \[Priced α\] \[Priced β\]/u);
    expect(signature('matched')).toContain('match o with');
    expect(signature('List.twice_length')).toContain('double l.length');
    expect(signature('«double of two»')).toBe(' : double (2 : Nat) = (4 : Nat)');
  });

  it('has names for what Lean made inaccessible', () => {
    expect(signature('hidden_names')).not.toContain('✝');
    expect(signature('hidden_names')).toContain('(l ++ []).length = l.length');
  });

  it('is left out, and counted, where it is private, deprecated, repeated or about its own module', () => {
    expect(facts().leftOut).toMatchObject({ private: 1, deprecated: 1, repeated: 1, own: 1 });
    expect(facts().theorems.map(({ name }) => name)).not.toContain('same_again');
    expect(all.get('Shop.Basic')!.leftOut).toMatchObject({ own: 1 });
    // One that an import states already.
    expect(all.get('Shop.Above')!.leftOut).toMatchObject({ repeated: 1 });
  });

  it('stands in the order of its source', () => {
    const names = facts().theorems.map(({ name }) => name);
    expect([names[0], names[1], names.at(-1)]).toEqual(['double_one', '«double of two»', 'last_one']);
  });

  it('is a premise for proofs elsewhere, also where it is not stated again; private and repeated ones are none', () => {
    expect(facts().premises.map(({ name }) => name)).toEqual([
      'triple_one',
      ...facts().theorems.map(({ name }) => name),
    ]);
    expect(facts().premises[0]!.signature).toBe(' : triple (1 : Nat) = (3 : Nat)');
    expect(all.get('Shop.Basic')!.premises.map(({ name }) => name)).toEqual(['double_zero']);
  });

  it('of a module that is not asked for is a premise only', async () => {
    const some = await statedFrom({ isAskedModule: (name) => name === 'Shop.Above' });
    expect(some.get('Shop.Facts')).toMatchObject({ isAsked: false, theorems: [], premises: facts().premises });
    // What one states is known of all the same.
    expect(some.get('Shop.Above')!.theorems).toEqual(all.get('Shop.Above')!.theorems);
  });

  it('is left out where its text is longer than the bound', async () => {
    const short = await statedFrom({ charsMax: 40, isAskedModule: (name) => name === 'Shop.Facts' });
    expect(short.get('Shop.Facts')!.leftOut.long).toBe(5);
    expect(short.get('Shop.Facts')!.theorems.every((theorem) => theorem.signature.length <= 40)).toBe(true);
  });

  it('tells what its proof uses where that is asked for', async () => {
    const told = await statedFrom({ withPremises: true, isAskedModule: (name) => name === 'Shop.Facts' });
    const premises = new Map(told.get('Shop.Facts')!.theorems.map((theorem) => [theorem.name, theorem.premises]));
    expect(premises.get('priced')).toEqual(['Nat.add_comm']);
    expect(premises.get('last_one')).toContain('double_one');
  });
});

describe('a module that is damaged, missing or of another Lean', () => {
  const graphOf = () => ModuleGraph.read(Object.keys(SOURCES), [folder, library]);
  const path = join(folder, 'Shop', 'Facts.olean');

  it('is left out with what imports it, and the rest is there', async () => {
    const sound = readFileSync(path);
    try {
      writeFileSync(path, sound.subarray(0, 60));
      expect(graphOf().unreadable).toMatchObject([
        { name: 'Shop.Facts', why: expect.stringContaining('does not start as a compiled module') },
        { name: 'Shop.Above', why: expect.stringContaining('it imports Shop.Facts') },
      ]);
      const other = Buffer.from(sound);
      other.write('4.99.0', 7, 'latin1');
      writeFileSync(path, other);
      expect(graphOf().unreadable[0]?.why).toContain('of Lean "4.99.0"');
      rmSync(path);
      expect(graphOf().unreadable[0]?.why).toBe('the module Shop.Facts is missing');
      expect(graphOf().get('Shop.Beside')).toBeDefined();
      // Its head is sound, its end is not there.
      writeFileSync(path, sound.subarray(0, sound.length - 800));
      const stated = await statedFrom();
      expect(stated.get('Shop.Beside')!.theorems).toHaveLength(1);
      const facts = stated.get('Shop.Facts');
      if (facts !== undefined) expect(facts.problem).not.toBe('');
    } finally {
      writeFileSync(path, sound);
    }
  });
});
