/** Tests the first examples of a conjecturer under a grammar: equations near library theorems, none of them held out. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProverConfig, resolveConfig } from '@stp/config';
import type { Example } from '@stp/config/records';
import { type LibraryEquations, readEquations } from '@stp/lean-explore';
import { boundNames, typedForm } from '@stp/selfplay';
import { beforeAll, expect, it } from 'vitest';
import { theoremKeys } from '../../activities/prover-forms.ts';
import { runSft } from '../../activities/sft/run-sft.ts';
import { repositorySources } from '../../workers/sources.ts';

const sources = repositorySources();
const set = { 'conjectures.source': 'decode', 'data.conjecturerExamplesPerTheoremMax': '4' };
const config = resolveConfig({ preset: 'embedded', set });
const { definitionTokens } = config.prover as Extract<ProverConfig, { slots: true }>;
let explored: readonly LibraryEquations[];

async function conjecturer(sealed: { heldOut?: string[]; theorems?: string[] } = {}): Promise<Example[]> {
  const { train, counts } = await runSft(sources, config, {
    statementKeys: new Set(sealed.heldOut),
    theoremKeys: new Set(sealed.theorems),
    slotKeys: new Set(),
  });
  const examples = (await Array.fromAsync(train)).filter(({ role }) => role === 'conjecturer');
  expect(counts().conjecturerExamples).toBe(examples.length);
  return examples;
}

beforeAll(async () => {
  explored = await sources.exploredEquations();
});

it('are equations that can be read back, a few for each theorem', async () => {
  const examples = await conjecturer();
  expect(examples.length).toBeGreaterThan(1_000);
  const perPrompt = Map.groupBy(examples, ({ prompt }) => prompt);
  expect(Math.max(...[...perPrompt.values()].map((some) => some.length))).toBeLessThanOrEqual(8);
  const definitions = await sources.definitions();
  const theorems = new Map((await sources.libraryTheorems()).map((theorem) => [theorem.name, theorem]));
  const forms = explored.flatMap(({ theorems: names, signature, equations }) => {
    const { header, statement } = theorems.get(names[0]!)!;
    const shown = definitions.under(header, statement, boundNames(statement));
    const form = typedForm(statement, signature, shown, definitionTokens);
    return form === null ? [] : [{ form, equations }];
  });
  let found = 0;
  for (const { form, equations } of forms)
    for (const { target } of perPrompt.get(form.prompt) ?? []) {
      expect(equations.map(({ words }) => words)).toContainEqual(form.read(target));
      found++;
    }
  expect(found).toBeGreaterThan(100);
});

it('are first of all equations that later proofs of the library rested on', async () => {
  const tried = await Array.fromAsync(sources.triedConjectures());
  const paid = new Set(tried.filter(({ pays }) => pays).map(({ statement }) => statement));
  const targets = Map.groupBy(await conjecturer(), ({ prompt }) => prompt);
  const definitions = await sources.definitions();
  const theorems = new Map((await sources.libraryTheorems()).map((theorem) => [theorem.name, theorem]));
  let rows = 0;
  for (const { theorems: names, signature, equations } of explored) {
    const own = equations.filter(({ text }) => paid.has(text));
    if (own.length === 0) continue;
    const forms = names.flatMap((name) => {
      const { header, statement } = theorems.get(name)!;
      return (
        typedForm(
          statement,
          signature,
          definitions.under(header, statement, boundNames(statement)),
          definitionTokens,
        ) ?? []
      );
    });
    const shown = forms.filter(({ prompt }) => targets.has(prompt));
    if (shown.length === 0) continue;
    rows++;
    const written = shown.flatMap((form) =>
      targets.get(form.prompt)!.map(({ target }) => form.read(target)!.join(' ')),
    );
    // Of what has tokens: a prompt shows only some of the functions.
    const wanted = own.filter(({ words }) => shown.every((form) => form.write(words) !== null));
    const firsts = new Set(written).intersection(new Set(wanted.map(({ words }) => words.join(' '))));
    expect(firsts.size, names[0]).toBe(Math.min(wanted.length, new Set(written).size));
  }
  expect(rows).toBeGreaterThan(5);
});

it('leaves out what is held out under another name, and nothing of another function', async () => {
  const all = await conjecturer();
  const keyOf = await theoremKeys(sources, config.prover);
  const { header } = (await sources.libraryTheorems()).find(({ name }) => name === 'Stp.distance_comm')!;
  const comm = 'theorem other (x : Nat) (y : Nat) : distance y x = distance x y';
  const left = await conjecturer({ theorems: [keyOf({ header, statement: comm })] });
  expect(left.length).toBeLessThan(all.length);
  expect(all.length - left.length).toBeLessThan(all.length / 10);
});

it('are none where no model writes conjectures', async () => {
  const explores = resolveConfig({ preset: 'embedded', set: { 'conjectures.source': 'explore' } });
  expect(explores.data.conjecturerExamplesPerTheoremMax).toBeGreaterThan(0);
  const nothing = { statementKeys: new Set<string>(), theoremKeys: new Set<string>(), slotKeys: new Set<string>() };
  const { train, counts } = await runSft(sources, explores, nothing);
  expect((await Array.fromAsync(train)).filter(({ role }) => role === 'conjecturer')).toEqual([]);
  expect(counts()).toMatchObject({ conjecturerExamples: 0 });
});

it('a line that is no row is refused with its place', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'stp-equations-')), 'equations.jsonl');
  await writeFile(path, `{"leanVersion":"4"}\n{"theorems":[]}\n`);
  await expect(readEquations(path)).rejects.toThrow(`${path}:2 is not a row of explored equations`);
  expect(await readEquations(`${path}.missing`)).toEqual([]);
});
