/** Tests that every sampled proof has only known words in allowed positions, whatever a model prefers. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROOF_MARKER } from '@stp/config/words';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeCheckpoint } from '../../checkpoint/checkpoint.ts';
import { readModel } from '../../checkpoint/model-folder.ts';
import {
  flaw,
  OTHER_PROMPT,
  PROMPT,
  PROOF_SHAPE,
  PROOFS,
  TARGETS,
  tokenizer,
  WORDS,
} from '../../testing/slotted-proofs.ts';
import { LEAN_TEXTS, smallCheckpoint, smallModel } from '../../testing/small-checkpoint.ts';
import { Sampler } from '../sampling/sampler.ts';
import { initialState } from '../training/initial-state.ts';
import { mayEnd, PROOF_START, type ProofState } from './proof-state.ts';
import { afterAtom, atomsOf, proofWordsOf } from './proof-words.ts';
import { ProofTokens, ProofWriter } from './proof-writer.ts';

const tokens = new ProofTokens(WORDS, tokenizer);
const writerFor = (prompt: string): ProofWriter =>
  new ProofWriter(tokens, tokens.promptOf(prompt, tokenizer.encode(prompt)));

/** Returns null where a word, slot or sign is not allowed. Each name that the proof introduces is its own. */
function stateAfter(text: string): ProofState | null {
  let state: ProofState | null = PROOF_START;
  const scope = { variables: ['<n0>', '<n1>', '<s0>', '<h0>'], isName: (word: string) => /^(ih|h|x|w)$/u.test(word) };
  for (const atom of atomsOf(text)) state = state === null ? null : afterAtom(state, atom, scope);
  return state;
}

describe('words', () => {
  it('are collected by where they stand', () => {
    expect(WORDS.words.command).toEqual(
      ['cases', 'exact', 'fun_induction', 'grind', 'have', 'induction', 'obtain', 'omega', 'rcases', 'simp', 'simp_all']
        .concat('first')
        .sort(),
    );
    expect(WORDS.words.alternative).toEqual(['b', 'cons', 'grind', 'nil', 'omega']);
    expect(WORDS.words['behind-slot']).toEqual(['.symm']);
    expect(WORDS.names).toEqual(['a', 'b', 'h', 'hw', 'hx', 'ih', 'w', 'x', 'xs', 'y']);
    expect(WORDS.shown).toEqual(['mapl']);
  });
  it('of a later training come to those that are known', () => {
    const more = proofWordsOf([{ prompt: OTHER_PROMPT, target: 'norm_num [mapl]' }], WORDS)!;
    expect(more.words.command).toEqual([...WORDS.words.command, 'norm_num'].sort());
    expect(more.words.argument).toEqual(WORDS.words.argument);
    expect({ names: more.names, shown: more.shown }).toEqual({ names: WORDS.names, shown: [] });
  });
  it('are none where the rules are not for these proofs', () => {
    const refused = { prompt: PROMPT, target: 'simp [' };
    expect(proofWordsOf([...PROOFS, refused, refused], null)).toBeNull();
    expect(proofWordsOf([refused, refused, ...PROOFS], WORDS)).toBeNull();
  });
  it('stay where the rules refuse one proof of a few', () => {
    expect(proofWordsOf([...PROOFS, { prompt: PROMPT, target: 'simp [' }], WORDS)).toEqual(WORDS);
  });
});

describe('a proof', () => {
  it.each([
    'induction<n0> <;> cases<n1> <;> omega',
    'cases<n0>\n· simp\n· cases<n1> <;> simp',
    '(cases<n0> <;> simp) <;> cases<n0>',
    'first | cases<n0> | cases<n0> <;> simp',
    'induction<s0> with\n| nil => cases<n0> <;> simp\n| cons x<s0> ih => cases<n0> <;> exact ih',
    'have h : <n0> = 1 := by cases<n0> <;> omega\ncases<n0> <;> omega',
    'cases<h0>.2 <;> exact <h0>',
    'intro h\ncases h <;> simp',
  ])('may be %j', (text) => {
    const state = stateAfter(text);
    expect(state !== null && mayEnd(state)).toBe(true);
  });
  it.each([
    ['takes a variable apart twice', 'induction<n0> <;> cases<n0>'],
    ['uses a variable that it has taken apart', 'cases<h0> <;> exact <h0>'],
    ['generalizes what it inducts on', 'induction<n0> generalizing<n0>'],
    ['generalizes a variable twice', 'induction<n0> generalizing<n1> <n1>'],
    ['takes a function apart', 'cases<f0>'],
    ['uses a name that it has not introduced', 'simp [ih]'],
    ['closes what is not open', 'simp)'],
    ['closes another bracket', 'simp [(x])'],
    ['begins with a variable', '<h0>'],
    ['joins a number to a slot', 'exact <n0>1'],
  ])('is refused if it %s', (_, text) => {
    expect(stateAfter(text)).toBeNull();
  });
  it.each(['cases', 'simp [<n0>', 'cases<n0> <;>', 'induction<n0> generalizing', 'exact (<n0>,', ''])(
    'does not end as %j',
    (text) => {
      const state = stateAfter(text);
      expect(state === null || mayEnd(state)).toBe(false);
    },
  );
});

describe('a writer', () => {
  it.each(TARGETS)('lets a model write %j', (target) => {
    const writer = writerFor(PROMPT);
    for (const id of [...tokenizer.encode(target), tokenizer.endId]) {
      expect(writer.allowed(), tokenizer.decode([id])).toContain(id);
      writer.push(id);
    }
  });
  it('lets no other be written, whatever is chosen', () => {
    const prompts = fc.constantFrom(PROMPT, OTHER_PROMPT);
    fc.assert(
      fc.property(prompts, fc.array(fc.nat(), { minLength: 200, maxLength: 400 }), (prompt, choices) => {
        const writer = writerFor(prompt);
        const ids: number[] = [];
        for (const choice of choices) {
          const allowed = writer.allowed();
          expect(allowed.length).toBeGreaterThan(0);
          // The model ends a text wherever the grammar allows it, so texts do end.
          const id = allowed.includes(tokenizer.endId) ? tokenizer.endId : allowed[choice % allowed.length]!;
          if (id === tokenizer.endId) break;
          ids.push(id);
          writer.push(id);
        }
        const text = tokenizer.decode(ids);
        const found = flaw(prompt, text);
        // A text that did not end may leave a bracket or a word open.
        if (ids.length < choices.length) expect(found, text).toBe('');
      }),
      { numRuns: 300 },
    );
  });
});

describe('a model', () => {
  const sample = async (prompt: string): Promise<string[]> => {
    const sampler = await Sampler.open({ ...smallModel(PROOF_SHAPE), tokenizer, proofWords: WORDS }, 8);
    const samples = Array.from({ length: 16 }, (_, key) => ({ key, seed: key }));
    sampler.add({ prompt, sampling: { temperature: 1, topP: 1, maxTokens: 60 }, samples });
    const texts: string[] = [];
    while (!sampler.idle)
      for (const { text, finish } of (await sampler.step()).ended) if (finish === 'stop') texts.push(text);
    await sampler.close();
    return texts;
  };
  it('that has learnt nothing writes known words alone where a proof is asked for', async () => {
    const texts = await sample(PROMPT);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.map((text) => flaw(PROMPT, text)).filter((found) => found !== '')).toEqual([]);
  });
  it('writes any text elsewhere', async () => {
    const prompt = PROMPT.replace(PROOF_MARKER, '<hard>');
    expect((await sample(prompt)).every((text) => flaw(prompt, text) === '')).toBe(false);
  });
});

describe('a training', () => {
  const examples = async (rows: readonly object[]) => {
    const folder = await mkdtemp(join(tmpdir(), 'stp-words-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'examples.jsonl');
    await writeFile(path, rows.map((row) => `${JSON.stringify({ ...row, weight: 1, role: 'prover' })}\n`).join(''));
    return { folder, path };
  };
  it('keeps the words of its proofs with the model, and a later one adds its own', async () => {
    const { folder, path } = await examples([
      ...PROOFS,
      { prompt: PROMPT.replace(PROOF_MARKER, '<hard>'), target: 'foreign' },
    ]);
    const { proofWords, tokenizer: own } = await initialState({
      examplesPath: path,
      shape: PROOF_SHAPE,
      seed: 1,
      initDirectory: null,
    });
    expect(proofWords).toEqual(WORDS);
    const initDirectory = join(folder, 'first');
    await writeCheckpoint(initDirectory, { ...smallCheckpoint(PROOF_SHAPE), tokenizer: own, proofWords });
    expect((await readModel(initDirectory)).proofWords).toEqual(WORDS);
    const later = await examples([{ prompt: OTHER_PROMPT, target: 'norm_num' }]);
    const next = await initialState({ examplesPath: later.path, shape: PROOF_SHAPE, seed: 1, initDirectory });
    expect(next.proofWords!.words.command).toContain('norm_num');
  });
  it('knows no words where names are no slots', async () => {
    const { path } = await examples(
      LEAN_TEXTS.map((text) => ({ prompt: text.split('<by>')[0] + PROOF_MARKER, target: text.split('<by>')[1] })),
    );
    expect(
      (await initialState({ examplesPath: path, shape: PROOF_SHAPE, seed: 1, initDirectory: null })).proofWords,
    ).toBeNull();
  });
});
