/** SFT sets from LeanDojo and its Mathlib: STP's steps counted on a folder made up for it, and no leak. About 3 s. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Example } from '@stp/config/records';
import { openSftSet } from '@stp/datasets';
import { conjecturerTuples, readSourceTheorems, type SourceTheorems } from '@stp/lean-explore';
import { statementKey } from '@stp/selfplay';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareTracedSft, type TracedTarget } from '../../activities/sft/prepare.ts';
import { statementKeysOf } from '../../activities/sft/statements-of.ts';
import { EXPECTED, writeLeanDojo } from './leandojo-folder.ts';

let directory: string;
let folders: { leanDojo: string; mathlib: string };
let source: SourceTheorems;
const target = (name: string, more: Partial<TracedTarget> = {}): TracedTarget => ({
  name,
  folder: join(directory, 'SFT', name),
  seed: 0,
  replace: false,
  leanDojo: folders.leanDojo,
  split: 'random',
  checkout: folders.mathlib,
  exportFolder: null,
  ...more,
});
const byName = (name: string) => source.theorems.find((theorem) => theorem.name === name)!;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-leandojo-'));
  folders = await writeLeanDojo(directory);
  source = await readSourceTheorems(folders.leanDojo, 'random', folders.mathlib);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('theorems of a LeanDojo folder', () => {
  it('are those with a traced tactic and lines in the checkout; the rest is counted', () => {
    expect(source.theorems).toHaveLength(EXPECTED.theorems);
    expect(source.distinctNames).toBe(EXPECTED.distinctNames);
    expect(source.missing).toEqual({
      'file not in the checkout': EXPECTED.traced - EXPECTED.theorems,
      'lines not in the file': 0,
      'no theorem on its lines': 0,
    });
    expect(source.theorems.map(({ name }) => name)).not.toContain('silent');
  });

  it('have the text of their lines, first and last included, with any line ends', () => {
    expect(byName('Set.base₁').text).toBe('@[simp]\ntheorem Set.base₁ (n : Nat) : n + 0 = n := by\n  rfl');
    expect(byName('Ω.β').text).toBe('protected theorem Ω.β (n : Nat) : n + 0 + 5 = n + 5 := by\n  rw [Set.base₁]');
  });

  it('have a signature and a tactic block where there are such', () => {
    expect(byName('Set.base₂')).toMatchObject({
      statement: 'theorem Set.base₂ (n : Nat) : 0 + n = n',
      proof: '  simp',
    });
    expect(byName('user.two')).toMatchObject({
      statement: 'theorem user.two (n : Nat) :\n    n + 0 + 2 = n + 2',
      proof: '  rw [Set.base₁]\n  rfl',
    });
    expect(byName('term')).toMatchObject({ statement: 'theorem term (n : Nat) : n + 0 = n ∧ True', proof: null });
    expect(byName('cases')).toMatchObject({ statement: null, proof: null });
  });

  it('have as premises what their tactics name, once, as far as it is a theorem here', () => {
    expect(byName('user.two').premises).toEqual(['Set.base₁']);
    expect(byName('user.three').premises).toEqual(['Set.base₁', 'Set.base₂']);
    expect(byName('user.four').premises).toEqual(['Set.base₂']);
  });

  it('give the tuples of each file: an earlier theorem, a lemma both use, a later theorem', () => {
    const tuples = [...conjecturerTuples(source.theorems)];
    expect(tuples).toHaveLength(EXPECTED.tuples);
    expect(tuples.map(({ easy, lemma, hard }) => [easy.name, lemma.name, hard.name])).toContainEqual([
      'user.one',
      'Set.base₁',
      'user.three',
    ]);
    expect(tuples.filter(({ easy, hard }) => easy.file !== hard.file)).toEqual([]);
  });

  it.each([
    ['not an array', '{"file_path": "a"}', 'text before the array'],
    ['an entry without lines', '[{"file_path": "a.lean", "full_name": "a", "traced_tactics": []}]', ':1 row 1: start:'],
    [
      'a path out of the checkout',
      JSON.stringify([
        {
          file_path: '../secret',
          full_name: 'a',
          start: [1, 1],
          end: [1, 1],
          traced_tactics: [{ tactic: '', annotated_tactic: ['', []], state_before: '', state_after: '' }],
          url: '',
          commit: '',
        },
      ]),
      '../secret is not in',
    ],
  ])('%s is an error that says where', async (_, content, message) => {
    const broken = await mkdtemp(join(directory, 'broken-'));
    await writeLeanDojo(broken);
    const folder = join(broken, 'leandojo_benchmark_4');
    await writeFile(join(folder, 'random', 'val.json'), content);
    await expect(readSourceTheorems(folder, 'random', folders.mathlib)).rejects.toThrow(message);
    await expect(readSourceTheorems(folder, 'novel_premises', folders.mathlib)).rejects.toMatchObject({
      code: 'STP1405',
    });
  });
});

describe('the SFT set', () => {
  let train: Example[];
  let heldOut: Example[];
  beforeAll(async () => {
    await prepareTracedSft(target('mathlib', { exportFolder: join(directory, 'stp') }));
    const set = await openSftSet(target('mathlib').folder);
    train = await Array.fromAsync(set.train());
    heldOut = await Array.fromAsync(set.heldOut());
  });

  it('holds a tenth out, and everything readable is in one of the two parts or in a tuple with what is held out', async () => {
    const { manifest } = await openSftSet(target('mathlib').folder);
    expect(manifest.counts.heldOutTheorems).toBe(Math.floor(0.1 * EXPECTED.proofs));
    expect(heldOut).toHaveLength(manifest.counts.heldOutTheorems);
    expect(manifest.counts.proverExamples + heldOut.length).toBe(EXPECTED.proofs);
    expect(train.filter(({ role }) => role === 'prover')).toHaveLength(manifest.counts.proverExamples);
    const keys = new Set(heldOut.flatMap(statementKeysOf));
    const open = [...conjecturerTuples(source.theorems)].filter(({ easy, lemma, hard }) =>
      [easy, lemma, hard].every((one) => one.statement !== null && !keys.has(statementKey(null, one.statement))),
    );
    expect(manifest.counts.conjecturerExamples).toBe(open.filter(({ easy }) => easy.proof !== null).length);
  });

  it('has nothing that is held out in any place of an example or of the table of theorems', async () => {
    const keys = new Set(heldOut.flatMap(statementKeysOf));
    expect(keys.size).toBe(heldOut.length);
    expect(train.flatMap(statementKeysOf).filter((key) => keys.has(key))).toEqual([]);
    const set = await openSftSet(target('mathlib').folder);
    const table = await Array.fromAsync(set.theorems());
    expect(table.length).toBeGreaterThan(30);
    expect(table.filter(({ statement }) => keys.has(statementKey(null, statement)))).toEqual([]);
  });

  it('leaves a tuple out whose easy, hard or shared theorem is held out, for whichever seed', async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 12; seed++) {
      const name = `seed-${seed}`;
      const { manifest } = await prepareTracedSft(target(name, { seed }));
      const set = await openSftSet(target(name).folder);
      const keys = new Set((await Array.fromAsync(set.heldOut())).flatMap(statementKeysOf));
      expect((await Array.fromAsync(set.train())).flatMap(statementKeysOf).filter((key) => keys.has(key))).toEqual([]);
      expect(manifest.counts.conjecturerExamples).toBeLessThanOrEqual(EXPECTED.readableTuples);
      if (manifest.counts.conjecturerExamples < EXPECTED.readableTuples) seen.add('fewer');
    }
    expect(seen).toContain('fewer');
  });

  it('is the same for the same seed, whole, and not written over unless asked', async () => {
    const files = async (name: string) =>
      Promise.all(
        ['manifest.json', 'train-0000.jsonl', 'held-out.jsonl', 'theorems.jsonl'].map((file) =>
          readFile(join(directory, 'SFT', name, file), 'utf8'),
        ),
      );
    const before = await files('mathlib');
    await expect(prepareTracedSft(target('mathlib'))).rejects.toMatchObject({ code: 'STP1002' });
    await prepareTracedSft(target('mathlib', { replace: true }));
    expect(await files('mathlib')).toEqual(before);
  });

  it('that was changed or cut short is noticed', async () => {
    const folder = target('cut').folder;
    await prepareTracedSft(target('cut'));
    const path = join(folder, 'train-0000.jsonl');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1));
    await expect(Array.fromAsync((await openSftSet(folder)).train())).rejects.toMatchObject({ code: 'STP1402' });
  });

  it('is exported as STP’s rows: a fence, the file before the theorem, the theorem; without what is held out', async () => {
    const rows = JSON.parse(await readFile(join(directory, 'stp', 'mathlib.json'), 'utf8')) as {
      prompt: string;
      target: string;
    }[];
    const evaluation = JSON.parse(await readFile(join(directory, 'stp', 'eval.json'), 'utf8')) as typeof rows;
    const proofs = rows.filter(({ target: text }) => !text.endsWith('</hard theorem>'));
    expect(proofs.length + evaluation.length).toBe(EXPECTED.theorems);
    expect(evaluation).toHaveLength(heldOut.length);
    const first = proofs.find(({ target: text }) => text === byName('Set.base₁').text)!;
    expect(first.prompt).toBe(
      'Complete the following Lean 4 code:\n\n```lean4\nimport Mathlib.Init\n\n/-! # A file with α and 𝔸 -/\n\n',
    );
    const conjectures = rows.filter(({ target: text }) => text.endsWith('</hard theorem>'));
    expect(conjectures.length).toBeGreaterThan(0);
    for (const { prompt, target: text } of conjectures) {
      expect(prompt).toMatch(
        /```lean4\nimport Mathlib\.Init\n[\s\S]*\n<lemma>\ntheorem [\s\S]+\n<easy theorem>\n[\s\S]+\n<hard theorem>$/,
      );
      expect(text).toMatch(/^\ntheorem [\s\S]+ := by\n<\/hard theorem>$/);
    }
    const held = evaluation.map(({ target: text }) => text);
    expect(rows.filter(({ prompt, target: text }) => held.some((one) => `${prompt}${text}`.includes(one)))).toEqual([]);
  });
});
