/** Equations found by exploration, over modules that real Lean compiled; Lean says whether they are well formed. Half a minute of a core. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '@stp/config';
import type { Statement } from '@stp/config/records';
import { SLOT_TOKENS, variableWord } from '@stp/config/words';
import { markersOf, TypedTokens, TypedWriter, trainTokenizer } from '@stp/language-model/testing';
import { boundNames, randomStream, typedForm } from '@stp/selfplay';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AssembledPorts } from '../../workers/assemble.ts';
import { openAssembledPorts } from '../support/assembled-ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'stp-explore-test-'));
const cache = join(folder, 'cache');
const { verification: limits } = resolveConfig({ preset: 'smoke', set: {}, flags: {} });
const { signal } = new AbortController();
let ports: AssembledPorts;
const problems: Statement[] = [];
beforeAll(async () => {
  // A new cache, without earlier explorations.
  ports = await openAssembledPorts(folder, cache);
  for (const set of ['isaplanner', 'tip2015']) problems.push(...(await Array.fromAsync(ports.sources.problemSet(set))));
}, 280_000);
afterAll(async () => {
  await ports?.close();
  rmSync(folder, { recursive: true, force: true });
});

const explore = async (statements: readonly { header: string | null; statement: string }[], seed = 1) => {
  const found = await ports.explore(
    'explore',
    statements,
    { ...limits, seed, random: false, deeper: 0, coreEquivalents: true, coreFunctions: false },
    signal,
  );
  return found.map((one) => ({ ...one, equations: one.equations.map(({ text }) => text) }));
};
const named = (name: string): Statement => problems.find((one) => one.name.endsWith(name))!;

describe('exploration', () => {
  test('finds what functions near a statement satisfy, most general first, all of it well formed', async () => {
    const near = ['prop_01', 'prop_85', 'prop_58', 'prop_02', 'prop_77'].map(named);
    const found = await explore(near);
    expect(found[0]!.equations).toContain(
      '{α : Type} (xs : List α) (ys : List α) (zs : List α) : append (append xs ys) zs = append xs (append ys zs)',
    );
    expect(found[0]!.equations.join('\n')).not.toContain('append (append xs xs)');
    expect(found[1]!.equations).toContain('{α : Type} (xs : List α) : rev (rev xs) = xs');
    // Equations found at one element type, or only for numbers, are stated for any type.
    expect(found[2]!.equations).toContain('{α β : Type} (xs : List α) : zip xs ([] : List β) = []');
    expect(found[3]!.equations).toContain('{α : Type} (xs : List α) : append xs ([] : List α) = xs');
    expect(found[3]!.equations.join('\n')).toContain(
      '(n : Nat) (xs : List Nat) (ys : List Nat) : count n (append xs ys) =',
    );
    // Laws of every order, which hold for no single pair of tests, are found under a condition.
    expect(found[4]!.equations).toContain('(n : Nat) (m : Nat) : leq n m = false → leq m n = true');
    const statements = found.flatMap(({ equations }, at) =>
      equations.map((equation, index) => ({
        id: `${at} ${index}`,
        header: near[at]!.header,
        statement: `theorem explored ${equation}`,
      })),
    );
    expect(statements.length).toBeGreaterThan(20);
    const verifier = await ports.verifier('explore', limits);
    const read = await verifier.checkStatements(statements, { signal });
    expect(read.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
  }, 240_000);

  test('says first which functions Lean’s core library has too, as its theorems write them', async () => {
    const found = await explore(['prop_85', 'nat_boring_min_assoc', 'list_assoc', 'prop_15'].map(named));
    const isCoreEquivalent = (text: string): boolean => / = (?:List\.|decide |\w+ (?:\+|\+\+|-|\*) \w+$)/u.test(text);
    expect(found.map(({ equations }) => equations.filter(isCoreEquivalent))).toEqual([
      [
        '{α : Type} (xs : List α) : len xs = List.length xs',
        '{α β : Type} (xs : List α) (ys : List β) : zip xs ys = List.zip xs ys',
        '{α : Type} (xs : List α) : rev xs = List.reverse xs',
        '{α : Type} (xs : List α) (ys : List α) : append xs ys = xs ++ ys',
      ],
      ['(n : Nat) (m : Nat) : leq n m = decide (n ≤ m)'],
      [
        // The core function has its arguments in another order.
        '{α β : Type} (xs : List α) (f : α → List β) : listBind xs f = List.flatMap f xs',
        '{α : Type} (xs : List α) (ys : List α) : append xs ys = xs ++ ys',
      ],
      // Lean's library has no insertion into an order.
      ['{α : Type} (xs : List α) : len xs = List.length xs', '(n : Nat) (m : Nat) : lt n m = decide (n < m)'],
    ]);
    for (const { equations } of found) expect(isCoreEquivalent(equations[0]!)).toBe(true);
  }, 240_000);

  test('ends with the reason of its signal, and keeps nothing of what was cut off', async () => {
    const stop = new AbortController();
    const near = [named('prop_15'), named('prop_58')];
    const options = { ...limits, seed: 5, random: false, deeper: 0, coreEquivalents: true, coreFunctions: false };
    const exploring = ports.explore('explore', near, options, stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 500);
    await expect(exploring).rejects.toThrow('enough');
    const alone = await ports.explore('explore', near, { ...options, processes: 1 }, signal);
    expect(alone.map(({ equations }) => equations.length > 0)).toEqual([true, true]);
  }, 240_000);

  test('finds the same over whatever it has explored before, on as many threads', async () => {
    // These use the same functions, and each uses up its steps.
    const near = ['sort_nat_TSortSorts', 'sort_nat_ISortSorts', 'sort_nat_TSortCount'].map(named);
    const found: string[] = [];
    for (const processes of [1, 2, 3]) {
      rmSync(join(cache, 'remembered'), { recursive: true, force: true });
      const options = {
        ...limits,
        seed: 1,
        random: false,
        deeper: 0,
        coreEquivalents: true,
        coreFunctions: false,
        processes,
      };
      found.push(JSON.stringify(await ports.explore('explore', near, options, signal)));
    }
    expect(found[1]).toBe(found[0]);
    expect(found[2]).toBe(found[0]);
  }, 240_000);

  test('gives the same equations again, and no equation that a test value refutes', async () => {
    const one = await explore([named('prop_15')]);
    expect(await explore([named('prop_15')])).toEqual(one);
    rmSync(join(cache, 'remembered'), { recursive: true });
    expect(await explore([named('prop_15')])).toEqual(one);
    // `ins` inserts in order, so insertions commute; `len` grows by one.
    expect(one[0]!.equations.join('\n')).toContain('ins n (ins m xs) = ins m (ins n xs)');
    expect(one[0]!.equations.join('\n')).not.toContain('len (ins n xs) = len xs\n');
  });

  test('finds no equation that holds only where variables happen to be near each other', async () => {
    const [found] = await explore([named('prop_57')]);
    expect(found!.equations).toContain(
      '{α : Type} (n : Nat) (m : Nat) (xs : List α) : take n (take m xs) = take m (take n xs)',
    );
    // Both fail for n = 0, m = 2 and a list of three, but forty tests with other variable orders accept them.
    const false_ = ['drop (n + 1) (take m xs) = []', 'drop n (take m (drop m xs)) = []'];
    for (const equation of false_) expect(found!.equations.filter((one) => one.endsWith(`: ${equation}`))).toEqual([]);
    expect(found!.equations.length).toBeLessThan(100);
  });

  test('finds no condition that says nothing', async () => {
    const [found] = await explore([named('prop_86')]);
    const conditional = found!.equations.filter((one) => one.includes('→'));
    expect(conditional).toContain('(n : Nat) (m : Nat) : lt n m = true → equal n m = false');
    expect(conditional.length).toBeLessThanOrEqual(24);
    // For lists, `elem n xs = false` implies nothing about the order of members.
    expect(conditional.filter((one) => one.includes('elem n xs = false → lt'))).toEqual([]);
    const holds = (condition: boolean, n: number, m: number): boolean => n < m === condition;
    for (const text of conditional) {
      const [, condition, f, a, b, value] =
        /^\(n : Nat\) \(m : Nat\) : lt n m = (true|false) → (lt|equal) (n|m) (n|m) = (true|false)$/u.exec(text) ?? [];
      if (condition === undefined) continue;
      for (const [n, m] of [0, 1, 2, 3].flatMap((x) => [0, 1, 2, 3].map((y): [number, number] => [x, y]))) {
        const [left, right] = [a, b].map((name) => (name === 'n' ? n : m)) as [number, number];
        if (holds(condition === 'true', n, m))
          expect(f === 'lt' ? left < right : left === right, text).toBe(value === 'true');
      }
    }
  });

  test('keeps what a proof of commutativity needs', async () => {
    const [found] = await explore([named('prop_54')]);
    expect(found!.equations).toContain('(n : Nat) (m : Nat) : plus n m = plus m n');
    expect(found!.equations).toContain('(n : Nat) : plus n 0 = n');
  });

  test('combines functions of lists of letters with those of any lists, and functions into lists', async () => {
    const [prefix, bound] = await explore(['relaxedprefix_is_prefix_1', 'list_return_1'].map(named));
    expect(prefix!.equations).toContain('(xs : List It) (ys : List It) : isPrefix xs (append xs ys) = true');
    expect(prefix!.equations).toContain(
      '{α : Type} (xs : List α) (ys : List α) (zs : List α) : append (append xs ys) zs = append xs (append ys zs)',
    );
    // Fails if `xs` is longer than `ys` and begins with it, which is rare by chance.
    expect(prefix!.equations.filter((one) => one.endsWith('isPrefix xs (append ys zs) = isPrefix xs ys'))).toEqual([]);
    expect(bound!.equations.join('\n')).toContain('listBind (append xs ys) f = append (listBind xs f) (listBind ys f)');
  });

  test('says the halves of an equation between tests', async () => {
    const [found] = await explore([named('prop_78')]);
    expect(found!.equations).toContain('(n : Nat) (xs : List Nat) : sorted (insort n xs) = sorted xs');
    expect(found!.equations).toContain('(xs : List Nat) (n : Nat) : sorted xs = true → sorted (insort n xs) = true');
  });

  test('goes deeper: further functions, and what holds of each of two that are equal', async () => {
    const wanted = '(n : Nat) (m : Nat) : times n (m + 1) = plus n (times n m)';
    const asked = [named('nat_alt_mul_same')];
    const texts = async (deeper: number): Promise<string[]> => {
      const [found] = await ports.explore(
        'explore',
        asked,
        { ...limits, seed: 1, random: false, deeper, coreEquivalents: false, coreFunctions: false },
        signal,
      );
      return found!.equations.map(({ text }) => text);
    };
    expect(await texts(0)).not.toContain(wanted);
    const deeper = await texts(1);
    expect(deeper).toContain(wanted);
    expect(new Set(deeper).size).toBe(deeper.length);
  });

  test('says why there is nothing to combine', async () => {
    const [found] = await explore([{ header: null, statement: 'theorem plain (n : Nat) : n = n' }]);
    expect(found).toMatchObject({ equations: [], reason: 'no function near it has a first-order type' });
  });

  test('says what Lean says of a statement that cannot be read', async () => {
    const [found] = await explore([{ header: null, statement: 'theorem broken (n : Nat) : n = nothing' }]);
    expect(found!.equations).toEqual([]);
    expect(found!.reason).toContain('Lean cannot read it');
  });
});

describe('equations from elsewhere', () => {
  const testOver = async (name: string, candidates: readonly string[], known: readonly string[] = []) => {
    const words = (text: string): string[] => text.split(' ');
    const asked = [{ ...named(name), candidates: candidates.map(words), known: known.map(words) }];
    const [found] = await ports.testEquations('test', asked, { ...limits, seed: 1 }, signal);
    return found!.answers;
  };

  test('are told apart by test values, and by what follows from others', async () => {
    const [near] = await ports.explore(
      'explore',
      [named('prop_85')],
      { ...limits, seed: 1, random: false, deeper: 0, coreEquivalents: true, coreFunctions: false },
      signal,
    );
    const { signature } = near!;
    const f = (short: string) => signature.symbols.find(({ name }) => name.endsWith(`.${short}`))!;
    const [append, rev] = [f('append').name, f('rev').name];
    const [xs, ys, zs] = [0, 1, 2].map((index) => variableWord(f('rev').result, index));
    const found = await testOver('prop_85', [
      `${rev} ${rev} ${xs} = ${xs}`,
      `${rev} ${xs} = ${xs}`,
      `${append} ${append} ${xs} ${ys} ${zs} = ${append} ${xs} ${append} ${ys} ${zs}`,
      `${append} ${append} ${xs} ${xs} ${zs} = ${append} ${xs} ${append} ${xs} ${zs}`,
      `${rev} ${rev} ${rev} ${xs} = ${rev} ${xs}`,
      `${append} ${xs} = ${xs}`,
      `nothing ${xs} = ${xs}`,
      `${xs} = ${rev} ${rev} ${xs}`,
    ]);
    expect(found.map(({ verdict, text }) => (text === null ? 'ill-typed' : verdict))).toEqual([
      'holds',
      'fails',
      'holds',
      'follows',
      'follows',
      'ill-typed',
      'ill-typed',
      'ill-typed',
    ]);
    expect(found[0]!.text).toBe('{α : Type} (xs : List α) : rev (rev xs) = xs');
    const known = [`${rev} ${rev} ${xs} = ${xs}`];
    const [again] = await testOver('prop_85', [`${append} ${rev} ${rev} ${xs} ${ys} = ${append} ${xs} ${ys}`], known);
    expect(again!.verdict).toBe('follows');
  });

  test('that a model without any training writes under the grammar are well formed, all of them', async () => {
    const near = ['prop_02', 'prop_15', 'prop_46', 'prop_57', 'prop_77', 'prop_85', 'prop_86'].map(named);
    const definitions = await ports.sources.definitions();
    const tokenizer = trainTokenizer([`<defs>${SLOT_TOKENS.join('')}`], {
      vocabularySize: 400,
      specialTokens: markersOf([`<defs>${SLOT_TOKENS.join('')}`]),
    });
    const random = randomStream(1, 'untrained');
    const found = await ports.explore(
      'explore',
      near,
      { ...limits, seed: 1, random: false, deeper: 0, coreEquivalents: true, coreFunctions: false },
      signal,
    );
    const asked = near.map(({ header, statement }, at) => {
      const { signature, equations } = found[at]!;
      const shown = definitions.under(header, statement, boundNames(statement));
      const form = typedForm(statement, signature, shown, 150)!;
      // Explored equations can be written and read back.
      for (const { words } of equations) if (words !== null) expect(form.read(form.write(words)!)).toEqual(words);
      const typed = new TypedTokens(form.grammar, tokenizer);
      const candidates = Array.from({ length: 40 }, () => {
        const writer = new TypedWriter(typed);
        let text = '';
        for (;;) {
          const allowed = writer.allowed();
          const id = allowed[Math.floor(random.next() * allowed.length)]!;
          if (id === typed.end) return form.read(text)!;
          writer.push(id);
          text += tokenizer.decode([id]);
        }
      });
      return { header, statement, candidates, known: [] };
    });
    const tested = await ports.testEquations('test', asked, { ...limits, seed: 1 }, signal);
    const statements = tested.flatMap(({ answers }, at) =>
      answers.map(({ text }, index) => ({
        id: `${at} ${index}`,
        header: near[at]!.header,
        statement: `theorem written ${text}`,
      })),
    );
    expect(statements).toHaveLength(40 * near.length);
    const verdicts = new Set(tested.flatMap(({ answers }) => answers.map(({ verdict }) => verdict)));
    expect(verdicts).toContain('fails');
    const verifier = await ports.verifier('explore', limits);
    const read = await verifier.checkStatements(statements, { signal });
    expect(read.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
  });
});
