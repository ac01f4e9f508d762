/**
 * Prompt formats against golden files. `golden/prompts.json`: the prompts that the code of each model card makes of three
 * statements, all from the cards. `golden/answers.json`: answers of every kind, and what is taken from them. Under 1 s.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FORMAT_NAMES, loadFormat } from '@stp/config';
import { promptFormatSchema } from '@stp/config/testing';
import { describe, expect, it } from 'vitest';
import { conjecturerPrompt, displayProof, proverPrompt, targetPrompt } from '../prompts.ts';
import type { Answer } from './answer.ts';
import { conjecturerForm, formattedForm } from './formatted.ts';

const golden = async (name: string) =>
  JSON.parse(await readFile(join(import.meta.dirname, 'golden', `${name}.json`), 'utf8'));
const prompts = await golden('prompts');
const answers = await golden('answers');
const LIBRARY = 'import Stp\n\nopen Stp\n';
type Stated = { statement: string; name: string; informal: string | null };
const stated = ({ statement, informal }: Stated) => ({
  header: prompts.header as string,
  statement,
  ...(informal === null ? {} : { informal }),
});
const shown = (answer: Answer) =>
  answer.kind === 'proof' ? answer : { kind: answer.kind, reason: answer.refusal.reason };

describe('every format', () => {
  it.each(FORMAT_NAMES)('%s asks exactly as its model card does', (name) => {
    const made = (prompts.statements as Stated[]).map((one) => {
      const { prompt, messages } = formattedForm(loadFormat(name), stated(one), LIBRARY);
      return { prompt, ...(messages === undefined ? {} : { messages }) };
    });
    expect(made).toEqual(prompts.prompts[name]);
  });

  it.each(
    FORMAT_NAMES.flatMap((name) =>
      (answers.answers[name] as { title: string; text: string; finish: 'stop' | 'length'; expected: object }[]).map(
        (answer) => [name, answer.title, answer] as const,
      ),
    ),
  )('%s takes the right proof from %s', (name, _, { text, finish, expected }) => {
    const form = formattedForm(loadFormat(name), stated(answers.statement), LIBRARY);
    expect(shown(form.read(text, finish))).toEqual(expected);
  });

  it.each(FORMAT_NAMES)('%s reads the proof in what it trains the model to answer', (name) => {
    const form = formattedForm(loadFormat(name), stated(answers.statement), LIBRARY);
    const proof = 'have h : 1 = 1 := by\n  rfl\nnorm_num';
    const read = form.read(form.targetOf(proof)!, 'stop');
    expect(read).toMatchObject({ kind: 'proof', changed: false });
    expect(displayProof((read as { proof: string }).proof)).toBe(proof);
  });

  it.each(FORMAT_NAMES)('%s reads the conjecture in what it trains the model to answer', (name) => {
    const form = conjecturerForm(loadFormat(name), LIBRARY);
    const statement = 'theorem hard (a b : Nat) (h : a = b) : b = a';
    const seed = { kind: 'seed', lemmaStatement: null, easyStatement: 'theorem e : 1 = 1', easyProof: 'rfl' } as const;
    const target = { kind: 'target', targetStatement: 'theorem open_problem (n : Nat) : n = n' } as const;
    for (const origin of [seed, target]) {
      const example = form.exampleOf({ header: null, origin }, true, statement, 1);
      expect(example.prompt).toBe(form.promptOf({ header: null, origin }).prompt);
      const { stop } = loadFormat(name).conjecturer;
      const ends = stop.map((text) => example.target.indexOf(text)).filter((at) => at >= 0);
      expect(form.read(example.target.slice(0, Math.min(...ends, Number.POSITIVE_INFINITY)), 'c')).toBe(
        'theorem c (a b : Nat) (h : a = b) : b = a',
      );
    }
  });

  it.each([...FORMAT_NAMES, 'custom'])('%s says where it comes from', async (name) => {
    const path = join(import.meta.dirname, '..', '..', '..', 'data', 'formats', `${name}.json`);
    const format = promptFormatSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    expect(format.name).toBe(name);
    if (!['embedded', 'custom'].includes(name)) expect(format.sources.some(({ url }) => url !== null)).toBe(true);
  });
});

describe('the embedded format', () => {
  it('asks as the prompts do that the embedded model is trained with', () => {
    const form = conjecturerForm(loadFormat('embedded'), LIBRARY);
    const statement = 'theorem t (n : Nat) :\n  n + 0 = n';
    expect(formattedForm(loadFormat('embedded'), { header: null, statement }, LIBRARY).prompt).toBe(
      proverPrompt(statement),
    );
    for (const lemma of [null, 'theorem l : 1 = 1']) {
      const seed = { easyStatement: statement, easyProof: '  simp\n  rfl' };
      const origin = { kind: 'seed', lemmaStatement: lemma, ...seed } as const;
      expect(form.promptOf({ header: null, origin }).prompt).toBe(conjecturerPrompt({ lemma, ...seed }));
      expect(form.promptOf({ header: null, origin }, false).prompt).toBe(conjecturerPrompt({ lemma: null, ...seed }));
    }
    const target = { kind: 'target', targetStatement: statement } as const;
    expect(form.promptOf({ header: null, origin: target }).prompt).toBe(targetPrompt(statement));
  });
});

describe('a format that refuses changed statements', () => {
  it('refuses the answer with a reason, and the same answer with our statement is taken', () => {
    const { prover, ...rest } = loadFormat('goedel-prover-v2');
    const strict = { ...rest, prover: { ...prover, answer: { ...prover.answer, whenChanged: 'refuse' as const } } };
    const form = formattedForm(strict, stated(answers.statement), LIBRARY);
    const block = (statement: string) => `\`\`\`lean4\n${statement} := by\n  simp\n\`\`\``;
    expect(shown(form.read(block('theorem mathd_algebra_10 : True'), 'stop'))).toEqual({
      kind: 'refused',
      reason: 'changed-statement',
    });
    expect(form.read(block(answers.statement.statement), 'stop')).toMatchObject({ kind: 'proof', changed: false });
  });
});

describe('the end of an answer', () => {
  const form = formattedForm(loadFormat('deepseek-prover-v2'), stated(answers.statement), LIBRARY);
  const block = (proof: string) => `\`\`\`lean4\n${answers.statement.statement} := by\n  ${proof}\n\`\`\``;
  it('is where a block with a whole proof closes, not where a sketch with `sorry` does', () => {
    expect(form.isComplete!(`plan\n${block('sorry')}`)).toBe(false);
    expect(form.isComplete!(`plan\n${block('sorry')}\n\n${block('norm_num')}`)).toBe(true);
    expect(form.isComplete!(`plan\n${block('norm_num').slice(0, -3)}`)).toBe(false);
    expect(form.isComplete!(`plan\n${block('norm_num')}\nand more`)).toBe(false);
    expect(form.isComplete!(`plan\n${block('norm_num')}\n\`\`\`\nno errors\n\`\`\``)).toBe(false);
  });
});

const inBlock = (text: string) => `\`\`\`lean4\n${text}\n\`\`\``;

describe('an answer that repeats the statement after its proof', () => {
  it('has the proof of the block before', () => {
    const form = formattedForm(loadFormat('goedel-prover-v2'), stated(answers.statement), LIBRARY);
    const { statement } = answers.statement;
    const text = `${inBlock(`${statement} := by\n  norm_num`)}\nThis proves\n\`\`\`\n${statement}\n\`\`\``;
    expect(form.read(text, 'stop')).toEqual({ kind: 'proof', proof: 'norm_num', changed: false });
    expect(shown(form.read(inBlock(statement), 'stop'))).toEqual({ kind: 'refused', reason: 'no-theorem' });
  });
});

describe('an answer that is no answer', () => {
  const form = formattedForm(loadFormat('goedel-prover-v2'), stated(answers.statement), LIBRARY);
  it('of ten megabytes is refused with a reason, and soon', () => {
    const proof = `  ${'simp; '.repeat(1_700_000)}`;
    const text = `\`\`\`lean4\n${answers.statement.statement} := by\n${proof}\n\`\`\``;
    expect(shown(form.read(text, 'stop'))).toEqual({ kind: 'refused', reason: 'too-long' });
  });

  it.each<[string, string]>([
    ['a fence and letters without end', '```'.padEnd(60_000, 'a')],
    ['quoted names without end', inBlock('«'.repeat(60_000))],
    ['quotes after backslashes', inBlock(`"${'\\"'.repeat(30_000)}`)],
    ['theorems without end', inBlock('theorem x : True\n'.repeat(6_000))],
    ['fences alone', '```\n'.repeat(15_000)],
  ])('is read in no more time than its length asks for: %s', (_, text) => {
    const conjecturer = conjecturerForm(loadFormat('goedel-prover-v2'), LIBRARY);
    // Tens of milliseconds; minutes, and so the test's time limit, where each character looks at all that follow.
    expect(form.read(text, 'stop').kind).toBe('refused');
    form.isComplete!(text);
    conjecturer.read(text, 'c');
  });

  it('of a million lines is no conjecture, and no error', () => {
    const conjecturer = conjecturerForm(loadFormat('goedel-prover-v2'), LIBRARY);
    expect(conjecturer.read(inBlock('theorem x : True\n'.repeat(200_000)), 'c')).toBeNull();
    expect(displayProof('  a\n'.repeat(200_000)).length).toBe(399_999);
  });

  it('never throws, for any text', () => {
    const odd = [
      '',
      '```',
      '```lean4',
      '```lean4\n',
      '```lean4\n```',
      '``````lean4\ntheorem\n```',
      '</think>',
      '«',
      '/-',
      '"',
    ];
    for (const before of odd)
      for (const after of odd)
        for (const finish of ['stop', 'length'] as const)
          expect(['proof', 'refused']).toContain(form.read(`${before}\ntheorem x ${after}`, finish).kind);
  });
});

describe('a statement that brings definitions along', () => {
  const DEFINITIONS = '/-- Twice. -/\nnoncomputable def twice (n : Nat) : Nat :=\n  n + n\n\nabbrev answer : Nat := 4';
  const header = `import Mathlib\nset_option maxHeartbeats 0\nopen Nat\n${DEFINITIONS}`;
  const statement = 'theorem ours (n : Nat) : twice 2 = answer';
  const formOf = (name: (typeof FORMAT_NAMES)[number]) =>
    formattedForm(loadFormat(name), { header, statement }, LIBRARY);
  const CODE = FORMAT_NAMES.filter((name) => loadFormat(name).prover.answer.form === 'code-block');

  // Problems in words have no header.
  const SHOWN = FORMAT_NAMES.filter((name) => name !== 'embedded' && name !== 'words');
  it.each(SHOWN)('%s shows them above it, as they are', (name) => {
    const { prompt } = formOf(name);
    const shown = DEFINITIONS.slice(DEFINITIONS.indexOf('noncomputable'));
    expect(prompt.indexOf(shown)).toBeGreaterThan(prompt.indexOf('open Nat'));
    expect(prompt.lastIndexOf(statement)).toBeGreaterThan(prompt.indexOf(shown));
  });

  it.each(CODE)('%s takes a proof from an answer that repeats them, not from one that changes or adds some', (name) => {
    const form = formOf(name);
    const answer = (above: string) =>
      form.read(`\`\`\`lean4\nimport Mathlib\n\n${above}\n\n${statement} := by\n  rfl\n\`\`\``, 'stop');
    expect(displayProof((form.read(form.targetOf('rfl')!, 'stop') as { proof: string }).proof)).toBe('rfl');
    for (const above of [DEFINITIONS, 'abbrev answer :  Nat :=\n  4 -- as given', ''])
      expect(shown(answer(above)), above).toMatchObject({ kind: 'proof', changed: false });
    for (const above of [
      DEFINITIONS.replace('4', '5'),
      `${DEFINITIONS}\ndef more := 4`,
      'instance : Inhabited Nat := ⟨4⟩',
    ])
      expect(shown(answer(above)), above).toEqual({ kind: 'refused', reason: 'declares-more' });
  });
});
