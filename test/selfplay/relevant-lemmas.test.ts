/** Which grown theorems a proof may list, and how they get into the text of a sample. */
import { describe, expect, it } from 'vitest';
import { RelevantLemmas } from '../../selfplay/relevant-lemmas.ts';
import { slottedForm } from '../../selfplay/slots/prover-form.ts';

const lemma = (name: string, functions: readonly string[], header: string | null = 'import A') => ({
  name,
  header,
  functions,
});

describe('grown theorems for a statement', () => {
  const lemmas = new RelevantLemmas([
    lemma('Grown.g1', ['append']),
    lemma('Grown.g2', ['append']),
    lemma('Grown.g3', ['append', 'rev']),
    lemma('Grown.g4', ['append', 'zip']),
    lemma('Grown.g5', ['append'], 'import B'),
    lemma('Grown.g6', []),
  ]);

  it('stand on functions of the statement and on no other, under its header; rare functions first', () => {
    expect(lemmas.for('import A', ['append', 'rev'], 10)).toEqual(['Grown.g3', 'Grown.g1', 'Grown.g2']);
    expect(lemmas.for('import A', ['append'], 10)).toEqual(['Grown.g1', 'Grown.g2']);
    expect(lemmas.for('import B', ['append'], 10)).toEqual(['Grown.g5']);
  });

  it('are no more than asked for', () => {
    expect(lemmas.for('import A', ['append', 'rev'], 1)).toEqual(['Grown.g3']);
    expect(lemmas.for('import A', ['append', 'rev'], 0)).toEqual([]);
    expect(lemmas.for(null, ['append'], 3)).toEqual([]);
  });
});

describe('a list of all functions', () => {
  const append = {
    name: 'append',
    written: 'append',
    kind: 'function',
    signature: '(xs ys : List α) : List α',
    equations: ['[], ys => ys'],
    constructors: [],
  } as const;
  const formWith = (...lemmas: string[]) =>
    slottedForm('theorem t (xs : List Nat) : append xs [] = xs', [append as never], 150, lemmas);
  const form = formWith();

  it('takes in the grown theorems of a sample', () => {
    const text = '  simp_all [<all>]';
    const more = formWith('Grown.g1', 'Grown.g7');
    expect(more.read(text, 'stop')).toMatchObject({ proof: '  simp_all [append, Grown.g1, Grown.g7]' });
    expect(form.read(text, 'stop')).toMatchObject({ proof: '  simp_all [append]' });
    expect(more.prompt).toBe(form.prompt);
  });

  it('trains the model without them', () => {
    expect(form.targetOf('  simp_all [append, Grown.g1, Grown.g7]')).toBe(form.targetOf('  simp_all [append]'));
  });
});
