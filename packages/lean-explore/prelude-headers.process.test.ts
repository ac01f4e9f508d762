/**
 * Statements whose headers begin with `prelude`: their contexts, exploration over them, proofs by steps, and places in files with
 * such a header. Real Lean; some ten seconds of a core.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileLibrary } from '@stp/lean-verifier';
import { leanForTests } from '@stp/lean-verifier/testing';
import { expect, test } from 'vitest';
import { readStatements, statementContexts } from './context/statement-contexts.ts';
import { exploreInThreads } from './explore/explore-in-threads.ts';
import { unexplored } from './explore/explore-statements.ts';
import { openFilePositions } from './step/open-file.ts';
import { core, LIMITS, open, start, step, verifierOf, workingDirectory } from './testing/opened-steps.ts';

const LISTS = 'prelude\nimport Init.Data.List.Basic\nimport Init.Omega\n\nopen List\nuniverse u';
const TACTICS = 'prelude\nimport Init.Tactics';
const BARE = 'prelude\nimport Init.Prelude';
const MAP = 'theorem t {α β : Type} (f : α → β) (xs ys : List α) : map f (xs ++ ys) = map f xs ++ map f ys';

const CLOSER = 'induction xs <;> first | rfl | (rename_i ih; exact congrArg (f _ :: ·) ih)';
/** A library that is compiled over a part of Lean's. */
const SHOP = `prelude
import Init.Data.List.Basic
import Init.Omega
namespace Shop
def plus : Nat → Nat → Nat
  | 0, y => y
  | x + 1, y => plus x y + 1
end Shop
`;

const task = () => ({
  processContext: { environment: core, workingDirectory },
  libraryHeader: '',
  scratchDirectory: workingDirectory,
  memoryBytesMax: 2_147_483_648,
  indexFolder: null,
  source: () => null,
  signal: AbortSignal.timeout(120_000),
});

test('contexts are read, each over its own imports', async () => {
  const answers = await statementContexts(
    [
      { header: LISTS, statement: MAP },
      { header: TACTICS, statement: 'theorem t (a b : Nat) (h : a = b) : b = a' },
      { header: TACTICS, statement: 'theorem t : Iff True True' },
      { header: 'prelude', statement: 'theorem t : True' },
    ],
    task(),
  );
  expect(answers.map(({ context }) => context?.binders.map(({ name }) => name))).toEqual([
    ['α', 'β', 'f', 'xs', 'ys'],
    ['a', 'b', 'h'],
    undefined,
    undefined,
  ]);
  expect(answers.slice(2).map((answer) => (answer.context === null ? answer.reason : ''))).toEqual([
    expect.stringMatching(/^Lean cannot read it: .*Iff/),
    expect.stringMatching(/^header:1:0: prelude without an import/),
  ]);
});

test('exploration finds equations where its types are there, and says where nothing is explored', async () => {
  const statements = [
    { header: 'prelude\nimport Shop.Things\nopen Shop', statement: 'theorem t (x y : Nat) : plus x y = plus y x' },
    { header: TACTICS, statement: 'theorem t (p q : Prop) (hp : p) (hq : q) : And q p' },
    { header: BARE, statement: 'theorem t (p : Prop) (h : p) : p' },
  ];
  const library = join(workingDirectory, 'sources');
  mkdirSync(library);
  writeFileSync(join(library, 'Things.lean'), SHOP);
  const environment = await compileLibrary({
    toolchain: await leanForTests(),
    sourceDirectories: [{ directory: library, modulePrefix: 'Shop' }],
    cacheDirectory: join(workingDirectory, 'cache'),
  });
  const { signal, ...common } = task();
  const explored = await readStatements(
    statements,
    { ...common, signal, processContext: { environment, workingDirectory } },
    {
      read: (stated, { source: _, ...module }) => {
        const texts = new Map([['Shop.Things', SHOP]]);
        return exploreInThreads(stated, { ...module, seed: 1, coreEquivalents: true, texts, threads: 1, signal });
      },
      unread: unexplored,
    },
  );
  expect(explored[0]!.equations.map(({ text }) => text).join('\n')).toMatch(/plus/);
  expect(explored[0]!.reason).toBe('');
  for (const { equations, reason } of explored.slice(1)) {
    expect(equations).toEqual([]);
    expect(reason).not.toBe('');
  }
});

test('exploration over functions of the core library: those that a statement mentions, at any universe, where it is asked for', async () => {
  const statements = [
    { header: LISTS, statement: 'theorem t {α : Type u} (xs ys : List α) : (xs ++ ys).length = xs.length + ys.length' },
    { header: LISTS, statement: 'theorem t {α : Type u} (x : α) (o : Option α) (h : o = Option.some x) : o.isSome' },
  ];
  const { signal, ...common } = task();
  const ask = (coreFunctions: boolean) =>
    readStatements(
      statements,
      { ...common, signal, processContext: { environment: core, workingDirectory } },
      {
        read: (stated, { source: _, ...module }) =>
          exploreInThreads(stated, { ...module, seed: 1, coreFunctions, texts: new Map(), threads: 1, signal }),
        unread: unexplored,
      },
    );
  const [lists, options] = await ask(true);
  const texts = lists!.equations.map(({ text }) => text);
  expect(texts.some((text) => text.startsWith('{α : Type _} (xs : List α) (ys : List α)'))).toBe(true);
  expect(texts.some((text) => text.includes('++') && text.includes('length'))).toBe(true);
  expect(options).toMatchObject({ equations: [], reason: 'no function near it has a first-order type' });
  expect((await ask(false)).map(({ equations }) => equations)).toEqual([[], []]);
});

test('a proof goes step by step, and what a header lacks is an ordinary failure', async () => {
  const steps = open();
  const state = await start(steps, MAP, LISTS);
  const cases = await step(state, 'induction xs');
  expect(cases.goals.length).toBe(2);
  const last = await step(await step(cases, '· rfl'), '· rename_i ih; exact congrArg (f _ :: ·) ih');
  expect(last.goals).toEqual([]);
  expect((await last.finish(await verifierOf(core, ''))).kind).toBe('proved');
  const other = await start(steps, 'theorem t (a : Nat) : a = a', TACTICS);
  for (const tactic of ['omega', 'grind', 'simp', 'exact Iff.rfl'])
    expect(await other.run(tactic, LIMITS)).toMatchObject({ kind: 'invalid', why: 'rejected' });
  expect((await other.run('rfl', LIMITS)).kind).toBe('done');
});

test('a place in a file is opened below such a header', async () => {
  const files = openFilePositions({
    environment: core,
    workingDirectory,
    memoryBytesMax: 2_147_483_648,
    heartbeatsMax: 20_000,
  });
  try {
    const opened = await files.openAt(`${LISTS.replaceAll('\n', '\r\n')}\r\n${MAP} := by\r\n  `, LIMITS);
    if (opened.kind !== 'open') throw new Error(JSON.stringify(opened));
    expect(opened.state.goals.length).toBe(1);
    expect((await opened.state.firstClosing(['rfl', 'omega', CLOSER], LIMITS)).index).toBe(2);
    const bare = await files.openAt(`${BARE}\ntheorem t (p : Prop) (h : p) : p := by\n  `, LIMITS);
    expect(bare).toMatchObject({ kind: 'invalid', why: 'rejected' });
    if (bare.kind === 'invalid') expect(bare.messages[0]!.text).toMatch(/^no tactic is known here/);
    const module = await files.openAt(
      'module\nprelude\npublic import Init.Tactics\ntheorem t : True := by\n  ',
      LIMITS,
    );
    expect(module).toMatchObject({ kind: 'invalid', why: 'header_error' });
  } finally {
    await files.close();
  }
});
