/** Tests the way from a plan of conjectures to texts, under a grammar: real Lean, a model in whose place this test writes. */

import { resolveConfig } from '@stp/config';
import type { ArtifactRef, ObjectStore } from '@stp/config/records';
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeAll, expect, it } from 'vitest';
import { giveGrammarsActivity } from '../../activities/conjecturers/decode/give-grammars.ts';
import { testConjecturesActivity } from '../../activities/conjecturers/decode/test-conjectures.ts';
import type { TypedPlan } from '../../activities/conjecturers/explore/explored-texts.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import {
  type ConjecturePlan,
  type ConjectureText,
  conjecturePlanSchema,
  conjectureTextSchema,
} from '../../activities/round/conjecture-records.ts';
import { assembledPorts } from '../support/assembled-ports.ts';

const { ports } = await assembledPorts();

const environment = new MockActivityEnvironment();
let store: ObjectStore;
let plan: ConjecturePlan[];

beforeAll(async () => {
  store = await ports.store('typed');
  const problems = await Array.fromAsync(ports.sources.problemSet('isaplanner'));
  const entry = (name: string): ConjecturePlan => {
    const { id, header, statement } = problems.find((one) => one.name.endsWith(name))!;
    const origin = { kind: 'target', targetStatement: statement } as const;
    return { prompt: '<hard>', labels: ['conjecture'], seedId: id, header, lemma: null, origin };
  };
  const nothing = { ...entry('prop_54'), seedId: 'nothing', header: null };
  const without = { ...nothing, origin: { kind: 'target', targetStatement: 'theorem t (n : Nat) : n = n' } as const };
  plan = [entry('prop_54'), without, entry('prop_54'), entry('prop_85'), entry('prop_54')];
}, 280_000);

/** The plan's entries as the model sees them, and the texts of a round for which it wrote these. */
async function round(
  source: 'decode' | 'both',
  write: (entry: ConjecturePlan) => string,
  prover: Readonly<Record<string, string>> = {},
) {
  const config = resolveConfig({ preset: 'embedded', set: { 'conjectures.source': source, ...prover } });
  const name = `rounds/${source}-${prover['prover.format'] ?? 'slots'}`;
  const input = {
    run: 'typed',
    name,
    config,
    history: [],
    plan: await writeRecords(store, `${name}/plan.jsonl`, plan),
  };
  const { giveGrammars } = giveGrammarsActivity(ports);
  const { testConjectures } = testConjecturesActivity(ports);
  const typed = (await environment.run(giveGrammars, input)) as TypedPlan;
  const entries = await readAll(store, typed.plan, conjecturePlanSchema);
  const written = entries.map((entry, index): ConjectureText => ({ input: index, text: write(entry) }));
  const texts = await writeRecords(store, `${name}/written.jsonl`, written);
  const tested = (await environment.run(testConjectures, { ...input, typed, texts })) as ArtifactRef;
  return { entries, texts: await readAll(store, tested, conjectureTextSchema) };
}

/** Tokens of a function of two arguments whose types are its own, and of two variables of that type. */
function operation({ grammar }: ConjecturePlan): [f: string, x: string, y: string] {
  const { symbols } = grammar!;
  const f = symbols.find(
    ({ kind, arguments: its, result }) =>
      kind === 'function' && its.length === 2 && its.every((type) => type === result),
  )!;
  const [x, y] = symbols.filter(({ kind, result }) => kind === 'variable' && result === f.result);
  return [f.token, x!.token, y!.token];
}

it('texts under a grammar are statements, with the reason for those that go no further', async () => {
  const written = [
    (f: string, x: string, y: string) => `${f}${x}${y}=${f}${x}${y}`,
    (f: string, x: string, y: string) => `${f}${x}${y}=${x}`,
    (f: string, x: string) => `${f}=${x}`,
    () => 'noise',
  ];
  const next = written.values();
  const { entries, texts } = await round('decode', (entry) => next.next().value!(...operation(entry)));
  // No text is written for a statement without functions. Each text names its entry in the round's plan.
  expect(entries.map(({ entryIndex }) => entryIndex)).toEqual([0, 2, 3, 4]);
  expect(entries.every(({ prompt }) => prompt.startsWith('<defs>') && prompt.endsWith('<easy>'))).toBe(true);
  expect(texts.map(({ input, refused }) => [input, refused])).toEqual([
    [0, 'follows'],
    [2, 'fails-tests'],
    [3, 'unparsable'],
    [4, 'unparsable'],
  ]);
  expect(texts[1]!.text).toMatch(/^\(n : Nat\) \(m : Nat\) : \w+ n m = n$/u);
  expect(texts[1]!.typed!.target).toMatch(/^<f\d><n0><n1>=<n0>$/u);
  expect(texts[1]!.typed!.prompt).toBe(entries[1]!.prompt);
});

it('explored equations stand before those that the model adds, and what they imply is left out', async () => {
  const { entries, texts } = await round('both', (entry) => {
    const [f, x, y] = operation(entry);
    return `${f}${y}${x}=${f}${y}${x}`;
  });
  const explored = texts.filter(({ refused }) => refused === undefined);
  expect(explored.length).toBe(entries.length);
  // The n-th copy of a statement has its n-th equation.
  expect(new Set(explored.map(({ text }) => text)).size).toBe(explored.length);
  // The texts as the model would have written them, as training data. The model has no words for Lean's core functions.
  const own = explored.filter(({ text }) => !/ = (?:List\.|decide |\w+ (?:\+|\+\+|-|\*) \w+$)/u.test(text));
  expect(own.length).toBeGreaterThan(0);
  const prompts = new Map(entries.map(({ entryIndex, prompt }) => [entryIndex!, prompt]));
  for (const { input, typed } of own) {
    expect(typed!.target).toMatch(/^(?:<[a-z]\d>|[0+[:TF;=])+$/u);
    expect(typed!.prompt).toBe(prompts.get(input));
  }
  expect(texts.filter(({ refused }) => refused === 'follows').length).toBe(entries.length);
});

it('a language model is asked in words, and answers with names', async () => {
  const written = ['plus x', (f: string, x: string, y: string) => `${f} ${x} (${f} ${y} ${x}) = ${f} ${x} ${y}`];
  const next = [written[1], written[0], written[1], written[1]].values();
  const prover = { 'prover.slots': 'false', 'prover.format': 'goedel-prover-v2' };
  const { entries, texts } = await round(
    'decode',
    (entry) => {
      const { value } = next.next();
      return typeof value === 'function' ? value(...operation(entry)) : value!;
    },
    prover,
  );
  for (const { messages, grammar } of entries) {
    expect(messages!.at(-1)!.content).toMatch(/^Definitions:\n[\s\S]*Write one equation/u);
    expect(grammar!.symbols.every(({ token }) => messages!.at(-1)!.content.includes(token))).toBe(true);
  }
  expect(texts.map(({ refused }) => refused)).toEqual(['fails-tests', 'unparsable', 'fails-tests', 'fails-tests']);
  expect(texts[0]!.typed!.target).toMatch(/^(\w+) n1 \(\1 n2 n1\) = \1 n1 n2$/u);
});
