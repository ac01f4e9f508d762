/** Compiled modules in the second kernel, compiled by real Lean here. Some ten seconds of a core. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coreEnvironment } from '@stp/lean-verifier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../budget.ts';
import { Terms } from '../expr.ts';
import { Kernel } from '../kernel.ts';
import { arrow, Build, type } from '../testing/build.ts';
import { Decline } from '../verdict.ts';
import { checkModuleInThread } from './check-module-in-thread.ts';
import { explained, readModule } from './compiled-file.ts';
import { ConstantIndex } from './constant-index.ts';
import { CompiledLibrary } from './library.ts';
import type { ModuleReport } from './report.ts';
import { WarmModuleChecker } from './warm-module-checker.ts';

const environment = await coreEnvironment();
const library = execFileSync(environment.executable, ['--print-libdir'], { encoding: 'utf8' }).trim();
const folder = mkdtempSync(join(tmpdir(), 'kernel-olean-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function compile(name: string, text: string): string {
  const path = join(folder, `${name}.olean`);
  writeFileSync(join(folder, `${name}.lean`), text);
  execFileSync(environment.executable, ['-o', path, join(folder, `${name}.lean`)], {
    cwd: folder,
    env: { ...process.env, LEAN_PATH: folder },
  });
  return path;
}
const check = (path: string, searchPath = [library]) =>
  checkModuleInThread({ path, searchPath, fuel: DEFAULT_LIMITS.fuel });

const theorems = ({ constants }: ModuleReport) => constants.filter(({ kind }) => kind === 'theorem');

const SOURCE = `
theorem commutes (a b : Nat) : a + b = b + a := by omega
theorem grows (l : List Nat) : (l ++ []).length = l.length := by simp
inductive Tree (α : Type u) | node : α → List (Tree α) → Tree α
theorem text : "héllo" ++ "x" = "héllox" := by decide
theorem large : 123456789012345678901234567890 % 97 = 123456789012345678901234567890 % 97 + 0 := by decide
theorem divisors : Nat.gcd 123456 7890 = 6 := by decide
structure Pair where
  first : Nat
  second : first = first
axiom wish : 1 = 2
theorem wished : 1 = 2 := wish
def next : Nat → Nat | 0 => 1 | n + 1 => next n
theorem nexts (n : Nat) : next n = 1 := by induction n with
  | zero => rfl
  | succ n ih => simpa [next] using ih
`;

let path: string;
beforeAll(() => {
  path = compile('Sound', SOURCE);
});

describe('a compiled module', () => {
  it('is accepted, with nested types, literals, recursion and what tactics made', async () => {
    const report = await check(path);
    expect([report.rejected, report.declined]).toEqual([[], []]);
    expect(report.verdict).toBe('accepted');
    const verdicts = new Map(report.constants.map((constant) => [constant.name, constant]));
    for (const name of ['commutes', 'grows', 'text', 'large', 'divisors', 'nexts'])
      expect(verdicts.get(name)).toMatchObject({ verdict: 'accepted', kind: 'theorem' });
    expect(verdicts.get('wished')?.axioms.filter(({ from }) => from === 'module')).toEqual([
      { name: 'wish', from: 'module' },
    ]);
  });

  it('is rejected where a statement was changed after Lean had checked it', async () => {
    const forged = compile(
      'Forged',
      `theorem forged : @Eq Nat (Nat.succ (nat_lit 77001)) (nat_lit 77002) := @Eq.refl Nat (nat_lit 77002)
theorem rests : @Eq Nat (Nat.succ (nat_lit 77001)) (nat_lit 77002) := forged
theorem sound : 1 + 1 = 2 := rfl
`,
    );
    const bytes = readFileSync(forged);
    // A small number is an odd word: twice the number and one.
    const word = (value: number): Buffer => {
      const made = Buffer.alloc(8);
      made.writeUInt32LE(2 * value + 1);
      return made;
    };
    const at = bytes.indexOf(word(77001));
    word(77005).copy(bytes, at);
    expect(bytes.indexOf(word(77001))).toBe(-1);
    writeFileSync(forged, bytes);
    const report = await check(forged);
    expect(report.verdict).toBe('rejected');
    expect(report.rejected[0]).toMatchObject({ declaration: 'forged', rule: 'declaration-type' });
    expect(Object.fromEntries(theorems(report).map(({ name, verdict }) => [name, verdict]))).toEqual({
      forged: 'rejected',
      rests: 'rejected',
      sound: 'accepted',
    });
  });

  it('of the toolchain has no verdict where it needs what its library leaves out, and is never rejected for that', async () => {
    // `Init.Prelude` has string literals, and the function that makes strings is declared in a later module.
    const report = await check(join(library, 'Init/Prelude.olean'));
    expect(report.rejected).toEqual([]);
    expect(report.declined.every(({ reason }) => /before String\.ofList|was declined/.test(reason))).toBe(true);
    expect(report.constants.filter(({ verdict }) => verdict === 'accepted').length).toBeGreaterThan(1_500);
  });

  it('imports modules from the search path only', async () => {
    compile('Below', 'theorem below : True := True.intro');
    const above = compile('Above', 'import Below\ntheorem above : True := below');
    await expect(check(above)).rejects.toThrow(/the imported module Below is in none of/);
    expect((await check(above, [folder, library])).verdict).toBe('accepted');
  });

  it('is rejected where it has a name of its imports, also for something unsafe, which nothing rests on', async () => {
    const forged = compile(
      'Hidden',
      'unsafe def sorryAy (α : Sort u) (b : Bool) : α := sorryAy α b\ntheorem t : False := sorryAx False false\n',
    );
    const bytes = readFileSync(forged);
    for (let at = bytes.indexOf('sorryAy\0'); at >= 0; at = bytes.indexOf('sorryAy\0', at + 1))
      bytes.write('sorryAx', at);
    writeFileSync(forged, bytes);
    const report = await check(forged);
    expect(report.rejected.map(({ declaration, rule }) => [declaration, rule])).toContainEqual(['sorryAx', 'name']);
  });

  it('may have a name whose one part looks like two', async () => {
    expect((await check(compile('Dots', 'theorem «Nat.add_comm» : True := trivial\n'))).verdict).toBe('accepted');
  });

  it('cannot take a name that the library has and the kernel cannot use', async () => {
    // This toolchain comes without what is private to a module, and `IO.Promise` mentions such a constant.
    const terms = new Terms();
    const kernel = new Kernel(terms, { trusted: new CompiledLibrary(terms, ['Init'], [library], null) });
    const build = new Build({}, terms);
    const promise = build.inductiveDeclaration(
      [{ name: 'IO.Promise', type: arrow(type, type), constructors: [] }],
      1,
      [],
      [],
    );
    expect(kernel.add(promise)).toMatchObject({ kind: 'rejected', rule: 'name' });
  });

  it('leaves nothing for the next one, whose constants may have the same names', async () => {
    const first = compile('First', 'inductive T | node : List T → T\ntheorem same : 1 = 1 := rfl\ndef value := 1\n');
    const second = compile(
      'Second',
      'inductive T | leaf | node : Option T → T\ntheorem same : 2 = 2 := rfl\ndef value := 2\n',
    );
    const checker = new WarmModuleChecker();
    for (const module of [first, second, first]) {
      const report = checker.check({ path: module, searchPath: [library], fuel: DEFAULT_LIMITS.fuel });
      expect([report.verdict, report.rejected]).toEqual(['accepted', []]);
    }
    // With the constants of `first` gone, a module that names them without an import is refused.
    const above = compile('Upper', 'import First\ntheorem rests : value = 1 := rfl\n');
    const bytes = readFileSync(above);
    // The text of the import, and 24 bytes before it how many bytes it has.
    const at = bytes.indexOf('First\0');
    bytes.write('Init\0\0', at, 'latin1');
    bytes.writeUInt32LE(5, at - 24);
    writeFileSync(above, bytes);
    const report = checker.check({ path: above, searchPath: [library], fuel: DEFAULT_LIMITS.fuel });
    expect(report.rejected[0]?.message).toMatch(/there is no constant value/);
  });

  it('has parts that are unsafe or partial set aside, and the theorems beside them are accepted', async () => {
    const report = await check(
      compile('Partial', 'partial def loop (n : Nat) : Nat := loop (n + 1)\ntheorem fine : 2 = 2 := rfl'),
    );
    expect(report.verdict).toBe('accepted');
    expect(report.setAside).toBeGreaterThan(0);
    expect(theorems(report)).toMatchObject([{ name: 'fine', verdict: 'accepted' }]);
  });
});

describe('damage', () => {
  const read = (bytes: Buffer) => {
    const file = join(folder, 'Damaged.olean');
    writeFileSync(file, bytes);
    const module = readModule(file, new Terms());
    explained(file, () => {
      for (const index of module.names.keys()) module.constant(index);
      module.entries.sourceRanges();
      module.entries.simpMarks();
      module.entries.deprecated();
      for (const index of module.names.keys()) module.mentioned(index);
    });
  };

  it('of another version is declined by name', () => {
    const bytes = readFileSync(path);
    bytes.write('4.99.0', 7, 'latin1');
    expect(() => read(bytes)).toThrow(/of Lean "4.99.0"; this kernel reads those of 4.28 to 4.35/);
    expect(() => read(bytes)).toThrow(Decline);
  });

  it('anywhere ends in an error of ours: cut short, words changed, pointers in circles', () => {
    const sound = readFileSync(path);
    let random = 12345;
    const next = (below: number) => {
      random = (Math.imul(random, 1103515245) + 12345) >>> 0;
      return random % below;
    };
    let errors = 0;
    for (let round = 0; round < 300; round++) {
      let bytes = Buffer.from(sound);
      const at = 80 + 8 * next((bytes.length - 80) >> 3);
      if (round % 3 === 0) bytes = bytes.subarray(0, at);
      else if (round % 3 === 1) bytes[at + next(8)] = next(256);
      // A pointer to another object: also to one around it.
      else sound.copy(bytes, at, 88, 96);
      try {
        read(bytes);
      } catch (error) {
        if (!(error instanceof Decline)) expect(error).toMatchObject({ code: 'STP1801' });
        errors++;
      }
    }
    expect(errors).toBeGreaterThan(100);
  });
});

describe('imports that are a part of Lean’s library', () => {
  const parts = [['Init.Data.List.Basic'], ['Init.Tactics'], ['Init.Data.Nat.Basic', 'Init.Omega'], ['Init']];
  it('share one index, in which each finds what it imports and nothing else', () => {
    const kept = join(folder, 'indexes');
    for (const imports of [...parts, ...parts]) {
      const { names } = new Terms();
      const index = ConstantIndex.open(names, imports, [library], kept);
      const inside = new Set(index.modules.map(({ name }) => name));
      for (const { imports: next } of index.modules) for (const name of next) expect(inside).toContain(name);
      const find = (name: string) => index.find(names.of(name))?.module.name;
      expect(find('Nat.rec')).toBe('Init.Prelude');
      expect(find('List.length_append') === undefined).toBe(!inside.has('Init.Data.List.Basic'));
      expect(find('List.map_append') === undefined).toBe(!inside.has('Init.Data.List.Lemmas'));
      expect(find('Nowhere')).toBeUndefined();
      for (const { name, path } of index.modules.filter((_, at) => at % 20 === 0)) {
        const terms = new Terms();
        const plain = readModule(path, terms).names.map((its) => terms.names.print(its));
        // Another imported module may have the same constant, derived there too.
        for (const its of plain.filter((text, at) => at % 50 === 0 && /^[A-Za-z.]+$/.test(text)))
          expect(inside, name).toContain(find(its));
      }
    }
    expect(readdirSync(kept)).toHaveLength(1);
  });
});
