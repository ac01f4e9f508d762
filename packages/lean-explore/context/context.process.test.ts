/** Contexts of statements, read from modules that real Lean compiled. Some ten seconds of a core. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileLibrary, type LeanEnvironment, resolveToolchain } from '@stp/lean-verifier';
import { scratchFolder } from '@stp/lean-verifier/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineSandbox } from '../../../test/support/sandbox.ts';
import type { ContextAnswer, StatementContext } from './statement-context.ts';
import { statementContexts } from './statement-contexts.ts';

const CACHE = join(import.meta.dirname, '../../../.cache');
const HEADER = 'import Shop\nopen Shop';
const SOURCE = `namespace Shop

/-- Adds. -/
def plus : Nat → Nat → Nat
  | 0, y => y -- nothing
  | x + 1, y => plus x y + 1

def double (x : Nat) : Nat := plus x x

/-- Halves, by a recursion that is not structural. -/
def half (n : Nat) : Nat :=
  if n < 2 then 0 else half (n - 2) + 1
termination_by n

inductive Tree (α : Type) where
  | leaf
  | node (left : Tree α) (value : α) (right : Tree α)
  deriving DecidableEq

structure Point where
  x : Nat
  y : Nat

mutual
inductive Rose where
  | rose : Nat → Roses → Rose
inductive Roses where
  | none
  | more : Rose → Roses → Roses
end

def Tree.größe {α : Type} : Tree α → Nat
  | .leaf => 0
  | .node l _ r =>
    match l with
    | .leaf => 1
    | _ => double (größe l + größe r)

abbrev Row := List Nat
inductive Even : Nat → Prop where
  | zero : Even 0
  | next (n : Nat) : Even n → Even (n + 2)
def Holds (r : Row) : Prop := r = []
instance there : Inhabited Point := ⟨⟨0, 0⟩⟩

theorem plus_zero (x : Nat) : plus x 0 = x := by
  induction x with
  | zero => rfl
  | succ x ih => simp [plus, ih]

def counted (xs : List Nat) : { n : Nat // n ≤ n } := ⟨xs.length, by have := plus_zero 1; exact Nat.le_refl _⟩
end Shop

/-- Hides the one in the namespace from nobody: both are there. -/
def half (n : Nat) : Nat := n
`;

const folder = scratchFolder();
let environment: LeanEnvironment;
let answers: readonly ContextAnswer[];

const STATEMENTS = {
  chain: 'theorem a {α : Type} [DecidableEq α] (t : Tree α) (n : Nat) : Tree.größe t = plus n (double n)',
  shadowed: 'theorem b (x : Nat) : ∀ x : Nat, 0 < x → plus x x = double x',
  local: 'theorem c (plus : Nat → Nat → Nat) (h : ∀ n, plus n n = Shop.plus n n) : plus 0 0 = 0',
  same: 'theorem d (n : Nat) : Shop.half n ≤ n ∧ _root_.half n = n',
  unicode: 'theorem e (größe₁ ys : Row) (h₀ : Holds größe₁) : größe₁ ++ ys = ys',
  types:
    'theorem f (r : Rose) (p : Point) (f : Nat → Nat) (q : Prop) (hq : q) : f p.x = f (p.x) ∧ Rose.rose 0 .none = r',
  theorem: 'theorem g (xs : List Nat) : (counted xs).1 = xs.length',
  matching: 'theorem i (t : Tree Nat) : (match t with | .leaf => 0 | .node _ v _ => v) = 0',
  predicates:
    'theorem l {α : Type} [BEq α] [LawfulBEq α] (xs ys : List α) (n : Nat) (h : xs.Perm ys) (le : n ≤ 3) : (ys.take n).Nodup ∨ xs <+: ys.map id',
  unread: 'theorem j (n : Nat) : nowhere n = n',
  own: 'theorem o (n : Nat) (e : Even n) : Holds []',
  cond: 'theorem m {α : Type} (p : α → Bool) (xs : List α) : xs.countP p = List.countP.go p xs 0',
  refused: 'theorem k : True := trivial',
} as const;

/** Two headers that define one name. */
const OWN = ['plus x (double x)', 'x'].map((body) => ({
  header: `${HEADER}\n\ndef triple (x : Nat) : Nat := ${body}\ndef Own.down : Nat → Nat\n  | 0 => 0\n  | n + 1 => down n`,
  statement: 'theorem own (n down : Nat) : triple n = Own.down n + down',
}));

beforeAll(async () => {
  const library = join(folder, 'sources');
  mkdirSync(library);
  writeFileSync(join(library, 'Things.lean'), SOURCE);
  const toolchain = await resolveToolchain({ cacheDirectory: CACHE, install: 'auto' });
  const sourceDirectories = [{ directory: library, modulePrefix: 'Shop' }];
  environment = await compileLibrary({ toolchain, sourceDirectories, cacheDirectory: join(folder, 'cache') });
  const scratchDirectory = join(folder, 'scratch');
  mkdirSync(scratchDirectory);
  const statements = Object.values(STATEMENTS).map((statement) => ({ header: HEADER, statement }));
  const foundation = { header: 'prelude\nimport Init.Data.Nat.Basic', statement: 'theorem y (n : Nat) : n = n' };
  const others = [...OWN, foundation, { header: null, statement: 'theorem z (n : Nat) : n = n' }];
  answers = await statementContexts([...statements, ...others], {
    processContext: {
      environment,
      workingDirectory: scratchDirectory,
      sandbox: (await machineSandbox(environment)) ?? undefined,
    },
    libraryHeader: 'import Init',
    scratchDirectory,
    memoryBytesMax: 3_000_000_000,
    indexFolder: null,
    source: (module) => (module === 'Shop.Things' ? SOURCE : null),
  });
}, 280_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function contextOf(which: keyof typeof STATEMENTS): StatementContext {
  const { context, reason } = answers[Object.keys(STATEMENTS).indexOf(which)]!;
  expect(reason).toBe('');
  return context!;
}

const written = (context: StatementContext) =>
  context.definitions.map((definition) => `${definition.distance} ${definition.kind} ${definition.written}`);

describe('definitions', () => {
  test('are found through others, nearest first, each with its text', () => {
    const context = contextOf('chain');
    expect(written(context)).toEqual([
      '0 inductive Tree',
      '0 definition Tree.größe',
      '0 definition plus',
      '0 definition double',
      '1 constructor Tree.leaf',
      '1 constructor Tree.node',
    ]);
    const plus = context.definitions.find(({ written }) => written === 'plus');
    expect(plus).toEqual({
      name: 'Shop.plus',
      written: 'plus',
      kind: 'definition',
      distance: 0,
      signature: 'def plus : Nat → Nat → Nat',
      equations: ['0, y => y', 'x + 1, y => plus x y + 1'],
      isRecursive: true,
      arity: 2,
    });
    const size = context.definitions.find(({ written }) => written === 'Tree.größe')!;
    expect(size.signature).toBe('def Tree.größe {α : Type} : Tree α → Nat');
    expect(size.equations).toHaveLength(2);
    expect(size.equations[1]).toContain('| _ => double (größe l + größe r)');
    expect(size).toMatchObject({ isRecursive: true, arity: 1 });
    expect(context.definitions.find(({ written }) => written === 'double')).toMatchObject({
      equations: ['plus x x'],
      isRecursive: false,
    });
    expect(context.definitions.find(({ written }) => written === 'Tree.node')!.signature).toBe(
      'node (left : Tree α) (value : α) (right : Tree α)',
    );
    expect(context.core).toContain('Eq');
    expect(context.core).not.toContain('Shop.plus');
  });

  test('that recurse in another way are known as recursive; two of one name are written apart', () => {
    const context = contextOf('same');
    expect(context.definitions.map(({ name, written }) => [name, written])).toEqual([
      ['Shop.half', 'Shop.half'],
      ['half', '_root_.half'],
    ]);
    expect(context.definitions.map(({ isRecursive }) => isRecursive)).toEqual([true, false]);
    expect(context.definitions[0]!.equations).toEqual(['if n < 2 then 0 else half (n - 2) + 1']);
  });

  test('are written past a binder of their name', () => {
    const context = contextOf('local');
    expect(written(context)).toEqual(['0 definition Shop.plus']);
    expect(context.binders.map(({ name, kind }) => [name, kind])).toEqual([
      ['plus', 'function'],
      ['h', 'hypothesis'],
    ]);
    expect(context.applications).toEqual([]);
  });

  test('do not go through theorems, and go through a match of the statement', () => {
    expect(written(contextOf('theorem'))).toEqual(['0 definition counted']);
    expect(written(contextOf('matching'))).toEqual([
      '0 inductive Tree',
      '0 constructor Tree.leaf',
      '0 constructor Tree.node',
    ]);
  });

  test('may stand in the header, which another statement’s header does not disturb', () => {
    const at = Object.keys(STATEMENTS).length;
    const [first, second] = answers.slice(at, at + OWN.length).map(({ context }) => context!);
    expect(written(first!)).toEqual([
      '0 definition triple',
      '0 definition Own.down',
      '1 definition plus',
      '1 definition double',
    ]);
    expect(written(second!)).toEqual(['0 definition triple', '0 definition Own.down']);
    const [triple, down] = second!.definitions;
    expect(triple).toMatchObject({ signature: null, equations: [], isRecursive: false, arity: 1 });
    expect(down).toMatchObject({ isRecursive: true });
    expect(second!.applications).toEqual([
      { definition: triple!.name, written: triple!.written, isRecursive: false, arguments: ['n'] },
      { definition: down!.name, written: 'Own.down', isRecursive: true, arguments: ['n'] },
    ]);
  });

  test('may be structures with their fields', () => {
    expect(written(contextOf('types')).filter((line) => /Point/.test(line))).toEqual([
      '0 structure Point',
      '0 projection Point.x',
      '1 constructor Point.mk',
    ]);
  });
});

describe('binders', () => {
  test('say what they are, where they stand, and what shadows them', () => {
    const { binders, applications } = contextOf('shadowed');
    expect(binders.map(({ name, kind, isIntroduced, isShadowed }) => [name, kind, isIntroduced, isShadowed])).toEqual([
      ['x', 'variable', true, true],
      ['x', 'variable', false, false],
      [null, 'hypothesis', false, false],
    ]);
    expect(applications).toEqual([
      { definition: 'Shop.plus', written: 'plus', isRecursive: true, arguments: ['x', 'x'] },
      { definition: 'Shop.double', written: 'double', isRecursive: false, arguments: ['x'] },
    ]);
  });

  test('may be types, instances, functions, propositions; mutual types are recursive', () => {
    expect(contextOf('chain').binders.map(({ name, kind }) => [name, kind])).toEqual([
      ['α', 'type'],
      [null, 'instance'],
      ['t', 'variable'],
      ['n', 'variable'],
    ]);
    const [r, p, f, q, hq] = contextOf('types').binders;
    expect(r!.inductive).toEqual({ name: 'Shop.Rose', isRecursive: true, constructors: ['rose'] });
    expect(p!.inductive).toEqual({ name: 'Shop.Point', isRecursive: false, constructors: ['mk'] });
    expect([f!.kind, q!.kind, hq!.kind]).toEqual(['function', 'type', 'hypothesis']);
  });

  test('have the names and types that were written, abbreviations unfolded beside them', () => {
    const [row, , holds] = contextOf('unicode').binders;
    expect(row).toMatchObject({ name: 'größe₁', typeHead: 'Shop.Row', inductive: { name: 'List' } });
    expect(holds).toMatchObject({ name: 'h₀', kind: 'hypothesis', typeHead: 'Shop.Holds' });
  });
});

test('predicates, and recursive functions of other libraries, are there for inductions', () => {
  const { binders, predicates, applications, ...context } = contextOf('predicates');
  const { coreFunctions, unfoldsToCond, grind } = context;
  expect(binders.slice(-2).map(({ kind, inductive }) => [kind, inductive?.name, inductive?.isRecursive])).toEqual([
    ['hypothesis', 'List.Perm', true],
    ['hypothesis', 'Nat.le', true],
  ]);
  expect(predicates.map(({ name }) => name)).toEqual(['List.Perm', 'List.Nodup', 'List.IsPrefix']);
  expect(predicates[0]!.constructors).toEqual(['nil', 'cons', 'swap', 'trans'].map((name) => `List.Perm.${name}`));
  expect(predicates[1]!.constructors).toEqual([]);
  expect([coreFunctions, unfoldsToCond, grind]).toEqual([['List.take', 'List.map'], false, 'grind']);
  expect(applications).toEqual([
    { definition: 'List.take', written: 'List.take', isRecursive: true, arguments: ['n', 'ys'] },
  ]);
});

test('predicates of our own modules are listed if inductive; the others are among the definitions', () => {
  const { binders, predicates } = contextOf('own');
  expect(binders.map(({ inductive }) => inductive?.name)).toEqual(['Nat', 'Shop.Even']);
  expect(predicates.map(({ name }) => name)).toEqual(['Shop.Even']);
});

test('`grind` has the solvers and the rule that it needs', () => {
  expect(contextOf('cond')).toMatchObject({ coreFunctions: ['List.countP', 'List.countP.go'], unfoldsToCond: true });
  expect(answers.at(-2)!.context!.grind).toBe('grind -ring -order -linarith -lia');
});

test('a statement that Lean or the screen refuses has no context, and the others have theirs', () => {
  const reasons = answers.map(({ reason }) => reason);
  expect(reasons.at(Object.keys(STATEMENTS).indexOf('unread'))).toMatch(/Lean cannot read it: .*nowhere/s);
  expect(reasons.at(Object.keys(STATEMENTS).indexOf('refused'))).toMatch(/would give the theorem a proof/);
  expect(answers.at(-1)!.context).toMatchObject({ definitions: [], core: ['Nat', 'Eq'] });
});
