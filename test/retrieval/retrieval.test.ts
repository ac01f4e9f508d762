/** LeanDojo's form read and written: premise index, retrieval measured, next-tactic sets, the export of our own library. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '@stp/config';
import { openSftSet } from '@stp/datasets';
import { ownLibrary, readTheoremRows, tracedProofId } from '@stp/lean-explore';
import { LIBRARY_DIRECTORY } from '@stp/lean-explore/testing';
import { queryText, statementKey, TermRetriever, VectorRetriever } from '@stp/selfplay';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LeftOut, readPremiseCorpus, readTracedSteps } from '../../activities/retrieval/benchmark.ts';
import { encoderPairs } from '../../activities/retrieval/encoder-pairs.ts';
import { evaluateRetrieval } from '../../activities/retrieval/evaluate-retrieval.ts';
import { exportLibrary } from '../../activities/retrieval/export-library.ts';
import { openPremiseIndex, type PremiseEncoder, writePremiseIndex } from '../../activities/retrieval/premise-index.ts';
import { prepareNextTactics } from '../../activities/sft/prepare.ts';
import { runSft } from '../../activities/sft/run-sft.ts';
import { statementKeysOf } from '../../activities/sft/statements-of.ts';
import { repositorySources } from '../../workers/sources.ts';
import { CORPUS, writeBenchmark } from './benchmark-folder.ts';

let directory: string;
let folder: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-retrieval-'));
  folder = await writeBenchmark(directory);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const corpusPath = () => join(folder, 'corpus.jsonl');
const indexFolder = () => join(directory, 'index');
const index = (encoder: PremiseEncoder | null = null) =>
  writePremiseIndex(corpusPath(), indexFolder(), { replace: false, encoder });

describe('a premise index', () => {
  it('is read back as it was made, without premises that have no name', async () => {
    expect(await index()).toMatchObject({ files: 4, premises: 6 });
    const { corpus, table } = await openPremiseIndex(indexFolder());
    expect(corpus.premises.map(({ name, file }) => [name, file])).toEqual([
      ['Nat.add_comm', 0],
      ['Nat.mul_one', 0],
      ['rev', 1],
      ['rev_rev', 1],
      ['rev_rev_elsewhere', 2],
      ['uses_rev', 3],
    ]);
    expect(table.terms).toContain('rev_rev');
    expect(table.lengths).toHaveLength(6);
    await expect(index()).rejects.toMatchObject({ code: 'STP1002' });
  });

  it.each(['files.jsonl', 'terms.jsonl', 'postings.bin'])('is refused where %s was changed', async (file) => {
    await index();
    const bytes = await readFile(join(indexFolder(), file));
    bytes[0]! ^= 1;
    await writeFile(join(indexFolder(), file), bytes);
    await expect(openPremiseIndex(indexFolder())).rejects.toMatchObject({ code: 'STP1402' });
    await expect(openPremiseIndex(join(directory, 'none'))).rejects.toMatchObject({ code: 'STP1405' });
  });

  it.each([
    ['a file before its imports', [CORPUS[1]!, CORPUS[0]!], 'corpus.jsonl:1: Mathlib/List.lean imports .lake/packages'],
    ['a file twice', [CORPUS[0]!, CORPUS[0]!], 'corpus.jsonl:2: .lake/packages/lean4/src/lean/Init.lean appears twice'],
    ['a line of another form', [{ ...CORPUS[0]!, imports: 'Init' as never }], 'corpus.jsonl:1: imports'],
  ])('is not made from a corpus with %s', async (_, files, message) => {
    folder = await writeBenchmark(join(directory, 'broken'), files);
    await expect(index()).rejects.toMatchObject({ code: 'STP1501', message: expect.stringContaining(message) });
  });
});

/** Texts as counts of their letters, at length 1: near texts are near, and no model is needed. */
const letters = (text: string): Float32Array => {
  const counts = new Float32Array(64);
  for (const letter of text) counts[letter.codePointAt(0)! % 64]! += 1;
  const length = Math.hypot(...counts);
  return counts.map((count) => count / length);
};
const encoder: PremiseEncoder = {
  model: { name: 'letters', contextLength: 8, vocabularySize: 64, hiddenSize: 64 },
  embed: async (texts) => texts.map(letters),
};

describe('a premise index with vectors', () => {
  it('has a vector for each premise, finds the nearest accessible ones, and is refused where they were changed', async () => {
    await index(encoder);
    const { corpus, vectors } = await openPremiseIndex(indexFolder());
    expect(vectors).toMatchObject({ model: 'letters', size: 64 });
    expect(vectors!.data).toHaveLength(64 * corpus.premises.length);
    const retriever = new VectorRetriever(encoder.embed, vectors!.data, 64);
    const [answer] = await retriever.retrieve(
      [{ state: '⊢ theorem rev_rev (xs : List α) : rev (rev xs) = xs', accessible: (premise) => premise !== 4 }],
      2,
    );
    expect(answer!.map(({ premise }) => corpus.premises[premise]!.name)[0]).toBe('rev_rev');
    expect(answer![0]!.score).toBeCloseTo(1, 1);
    const bytes = await readFile(join(indexFolder(), 'vectors.bin'));
    bytes[0]! ^= 1;
    await writeFile(join(indexFolder(), 'vectors.bin'), bytes);
    await expect(openPremiseIndex(indexFolder())).rejects.toMatchObject({ code: 'STP1402' });
  });

  it('is asked with the first target of a state before everything else', () => {
    expect(queryText('case a\nn : ℕ\n⊢ n =\n    0\n\ncase b\n⊢ True')).toBe(
      '⊢ n =\n    0\ncase a\nn : ℕ\ncase b\n⊢ True',
    );
    expect(queryText('no goals')).toBe('no goals');
  });
});

describe('pairs that train an encoder', () => {
  it('are a state and each premise that its tactic names, with all positives of the state', async () => {
    const { pairs, leftOut } = await encoderPairs(corpusPath(), join(folder, 'random'), 'test');
    expect(pairs.map(({ match, key, positives }) => [match.split(' ')[1], key, [...positives]])).toEqual([
      ['rev_rev', '3', ['3', '0']],
      ['Nat.add_comm', '0', ['3', '0']],
      ['Nat.add_comm', '0', ['0']],
      ['uses_rev', '5', ['5']],
    ]);
    expect(leftOut.count).toBe(1);
  });
});

describe('retrieval on traced tactics', () => {
  it('counts tactics that name premises, finds accessible ones only, and says where a tactic was left out', async () => {
    await index();
    const { corpus, table } = await openPremiseIndex(indexFolder());
    const report = await evaluateRetrieval(
      join(folder, 'random', 'test.json'),
      corpus,
      new TermRetriever(table, 'bm25'),
    );
    // rev_rev is first for the first tactic (its twin is not imported), Nat.add_comm for the second; the third names what is not there.
    expect(report).toMatchObject({ queries: 3, inaccessible: 1, mrr: expect.closeTo(2 / 3, 12) });
    expect(report.recallAt1).toBeCloseTo((0.5 + 1 + 0) / 3, 12);
    expect(report.recallAt10).toBeCloseTo((1 + 1 + 0) / 3, 12);
    expect(report.leftOut.locations).toEqual([
      expect.stringMatching(/random\/test\.json:\d+ row 1 tactic 3: gone is not in corpus\.jsonl$/u),
    ]);
  });
});

describe('a set of next tactics', () => {
  const prepare = () =>
    prepareNextTactics({
      name: 'steps',
      folder: join(directory, 'data', 'SFT', 'steps'),
      seed: 0,
      replace: false,
      leanDojo: folder,
      split: 'random',
    });

  it('has the first goal and the tactic of each traced step, once, and counts what it left out', async () => {
    const { manifest, left } = await prepare();
    expect(Object.values(left)).toEqual([1, 1, 0]);
    expect(manifest.counts).toMatchObject({ proverExamples: 2, stateExamples: 2, theorems: 0 });
    const set = await openSftSet(join(directory, 'data', 'SFT', 'steps'));
    const train = await Array.fromAsync(set.train());
    expect(train.map(({ target }) => target).sort()).toEqual(['exact rev_rev xs', 'intro h2']);
    expect(train[0]!.prompt).toBe(
      '<state>(α : Type u_1) (xs ys : List α) (n m : ℕ) (h : n + m = m) : rev (rev xs) = xs<by>',
    );
    expect((await Array.fromAsync(set.heldOut())).map(({ target }) => target).sort()).toEqual([
      'omega',
      'simp [Nat.add_comm]',
    ]);
    const card = await readFile(join(directory, 'data', 'SFT', 'steps', 'card.md'), 'utf8');
    expect(card).toMatch(/left out: random\/train\.json:\d+ row 1 tactic 3: gone is not in corpus\.jsonl/u);
    expect(card).not.toContain(directory);
  });

  it('is taken by a run whose prover works by steps, without the states of held-out statements', async () => {
    await prepare();
    const sources = repositorySources(join(directory, 'data'));
    const taken = async (mode: string, heldOutKeys: ReadonlySet<string> = new Set()) => {
      const set = { 'data.sft': 'steps', 'prover.slots': false, 'prover.mode': mode };
      const config = resolveConfig({ preset: 'smoke', set: set as never });
      const { train } = await runSft(sources, config, {
        statementKeys: heldOutKeys,
        theoremKeys: new Set(),
        slotKeys: new Set(),
      });
      return Array.fromAsync(train);
    };
    const all = await taken('steps');
    expect(all).toHaveLength(2);
    const held = statementKey(
      null,
      'theorem held (β : Type u_1) (as bs : List β) (i j : ℕ) (hij : i + j = j) : rev (rev as) = as',
    );
    expect(statementKeysOf(all[0]!)).toEqual([held]);
    expect(await taken('steps', new Set([held]))).toEqual([]);
    await expect(taken('whole')).rejects.toMatchObject({ code: 'STP1001' });
    await expect(taken('both')).rejects.toMatchObject({ code: 'STP1001' });
  });
});

describe('our own library in LeanDojo’s form', () => {
  it('is read back: premises at their places, tactics with their names, novel premises in no training proof', async () => {
    const theorems = await repositorySources().libraryTheorems();
    const traced = theorems.map((theorem) => ({
      theorem: theorem.name,
      proof: tracedProofId(theorem, theorem.proof),
      steps: [
        { goal: { hypotheses: [], target: 'True' }, tactic: theorem.proof.trim(), before: '⊢ True', after: '' },
        { goal: { hypotheses: [], target: 'True' }, tactic: 'not kept whole' },
      ],
    }));
    const library = await ownLibrary(LIBRARY_DIRECTORY, theorems, traced);
    const out = join(directory, 'export');
    const report = await exportLibrary(library, { folder: out, seed: 0, replace: false });
    expect(report).toMatchObject({ theorems: theorems.length, tactics: theorems.length });

    const corpus = await readPremiseCorpus(join(out, 'corpus.jsonl'));
    const number = new Map(corpus.premises.map(({ name }, at) => [name, at]));
    expect(theorems.filter(({ name }) => !number.has(name))).toEqual([]);
    const leftOut = new LeftOut();
    const used: Record<string, Map<string, Set<number>>> = {};
    for (const split of ['random', 'novel_premises'] as const)
      for (const part of ['train', 'val', 'test'] as const) {
        const own = new Map<string, Set<number>>();
        used[`${split}/${part}`] = own;
        for await (const { row } of readTheoremRows(join(out, split, `${part}.json`)))
          own.set(row.full_name, new Set());
        for await (const step of readTracedSteps(join(out, split, `${part}.json`), corpus, leftOut)) {
          own.set(step.theorem.full_name, new Set(step.premises));
          const accessible = corpus.accessible(step.theorem.file_path, step.theorem.start)!;
          expect([step.theorem.full_name, [...step.premises].filter((premise) => !accessible(premise))]).toEqual([
            step.theorem.full_name,
            [],
          ]);
        }
      }
    expect(leftOut.count).toBe(0);
    for (const split of ['random', 'novel_premises']) {
      const parts = ['train', 'val', 'test'].map((part) => used[`${split}/${part}`]!);
      expect(parts.flatMap((part) => [...part.keys()]).sort()).toEqual(theorems.map(({ name }) => name).sort());
    }
    // The theorems that a proof names, as the library's own reader finds them, are annotated.
    const all = ['train', 'val', 'test'].flatMap((part) => [...used[`random/${part}`]!]);
    const premisesOf = new Map(all);
    for (const { name, premises } of theorems)
      for (const premise of premises) expect(premisesOf.get(name)!.has(number.get(premise)!)).toBe(true);
    const trained = new Set([...used['novel_premises/train']!.values()].flatMap((premises) => [...premises]));
    for (const part of ['val', 'test'])
      for (const [name, premises] of used[`novel_premises/${part}`]!)
        expect([name, [...premises].some((premise) => !trained.has(premise))]).toEqual([name, true]);
  });
});
