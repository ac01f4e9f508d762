/**
 * Tests answers of a model that try to have another statement accepted. The proof read from them is placed under our
 * statement, and Lean refuses it there. The same wrappings around an honest proof do no harm. Real Lean; about 5 s.
 */

import { loadFormat } from '@stp/config';
import { openVerifier } from '@stp/lean-verifier';
import { formattedForm } from '@stp/selfplay';
import { expect, it, vi } from 'vitest';
import { environment, HONEST, scratchOfTest, settingsIn, walls } from './verdicts.ts';

vi.setConfig({ testTimeout: 180_000 });

const FALSE = 'theorem claim (n : Nat) : n + 1 = n';
const TRUE = 'theorem claim (n : Nat) : 0 + n = n';
const block = (text: string, word = 'lean4') => `\`\`\`${word}\n${text}\n\`\`\``;
const trivial = (name: string, type = 'True') => `theorem ${name} (n : Nat) : ${type} := by\n  trivial`;

/** The expected outcome: `ours` unmarked, `changed` marked, or why nothing is taken. None of it may prove the statement. */
const ATTACKS: Readonly<Record<string, readonly [text: string, taken: string]>> = {
  'another theorem of our name': [block(trivial('claim')), 'changed'],
  'our theorem, then another of our name': [block(`${FALSE} := by\n  sorry\n\n${trivial('claim')}`), 'changed'],
  'another of our name, then ours by it': [block(`${trivial('claim')}\n\n${FALSE} := by\n  simp`), 'ours'],
  'a name that looks like ours': [block(trivial('clаim')), 'changed'],
  'a type that looks like ours': [block('theorem claim (n : Nаt) : n + 1 = n := by\n  cases n'), 'changed'],
  'a weaker statement': [block(trivial('claim', 'n + 1 = n ∨ True')), 'changed'],
  'a hypothesis more': [block('theorem claim (n : Nat) (h : n + 1 = n) : n + 1 = n := by\n  exact h'), 'changed'],
  'a default proof in a binder': [
    block('theorem claim (n : Nat) (h : n + 1 = n := by omega) : n + 1 = n := by\n  exact h'),
    'changed',
  ],
  'a type that a tactic makes': [block('theorem claim (n : Nat) : (by exact True) := by\n  trivial'), 'changed'],
  'a hypothesis by a variable': [block(`variable (h : False)\ninclude h\n${FALSE} := by\n  exact h.elim`), 'ours'],
  'our theorem in a comment': [block(`/- ${FALSE} := by -/\n${trivial('other')}`), 'changed'],
  'our theorem in a line comment': [block(`-- ${FALSE} := by\n${trivial('other')}`), 'changed'],
  'a theorem in a string': [block(`${FALSE} := by\n  have s := "\n${trivial('claim', 'n = n')}"\n  simp`), 'changed'],
  'a namespace with its own theorem': [
    block(`namespace X\n${trivial('claim')}\nend X\n\n${FALSE} := X.claim n`),
    'ours',
  ],
  'an end of a namespace that is not open': [block(`${FALSE} := by\n  skip\nend\n${trivial('other')}`), 'ours'],
  'a proof that closes the theorem and states another': [block(`${FALSE} := by\n  skip\n\n  ${trivial('x')}`), 'ours'],
  'a fence within the proof': [block(`${FALSE} := by\n  -- \`\`\`\n  simp`), 'ours'],
  'a fence within a fence': [`\`${block(block(trivial('claim')), 'markdown')}\``, 'no-theorem'],
  'a lemma by nothing': [block(`lemma h : False := by\n  sorry\n\n${FALSE} := h.elim`), 'ours'],
  'a lemma by itself': [block(`lemma h (n : Nat) : n + 1 = n := h n\n\n${FALSE} := h n`), 'ours'],
  'a lemma of a known name': [block(`theorem trivial : False := by\n  sorry\n\n${FALSE} := trivial.elim`), 'ours'],
  'a lemma with a name that is code': [
    block(`lemma «h : False := by trivial; exact absurd» : True := trivial\n\n${FALSE} := by\n  simp`),
    'ours',
  ],
  'itself, and an end of it by nothing': [
    block(`${FALSE} := by\n  exact claim n\ntermination_by n\ndecreasing_by sorry`),
    'ours',
  ],
  'a helper below it': [block(`${FALSE} := by\n  exact h n\nwhere\n  h (n : Nat) : n + 1 = n := by sorry`), 'ours'],
  'no kernel': [block(`set_option debug.skipKernelTC true in\n${FALSE} := by\n  decide`), 'ours'],
  'an axiom before': [block(`axiom c : False\n\n${FALSE} := c.elim`), 'declares-more'],
  'an indented axiom before': [block(` axiom c : False\n\n${FALSE} := c.elim`), 'ours'],
  'an axiom after': [block(`${FALSE} := c.elim\n\naxiom c : False`), 'ours'],
  'a notation for our type': [block(`local notation "Nat" => Empty\n${FALSE} := by\n  cases n`), 'declares-more'],
  'a macro for a tactic': [
    block(`macro "done!" : tactic => \`(tactic| sorry)\n${FALSE} := by\n  done!`),
    'declares-more',
  ],
  'another meaning of a tactic': [
    block(`macro_rules | \`(tactic| rfl) => \`(tactic| sorry)\n${FALSE} := by\n  rfl`),
    'declares-more',
  ],
  'an instance that adds otherwise': [
    block(`instance : HAdd Nat Nat Nat := ⟨fun a _ => a⟩\n${FALSE} := by\n  rfl`),
    'declares-more',
  ],
  'another meaning of a name by an open': [
    block(
      `namespace Evil\ntheorem absurd (n : Nat) : n = n := rfl\nend Evil\nopen Evil\n${FALSE} := by\n  exact absurd n`,
    ),
    'ours',
  ],
  'an open that ends the proof': [block(`open Nat in\nopen Nat) in\n${FALSE} := by\n  simp`), 'ours'],
  'an example': [block('example (n : Nat) : n = n := rfl'), 'no-theorem'],
  'thinking without an end': [`<think>${block(`${FALSE} := by\n  simp`)}`, 'cut-off'],
};

/** Each around a proof that holds. */
const HONESTLY: Readonly<Record<string, string>> = {
  'a theorem': block(`${TRUE} := by\n  omega`),
  'line ends of Windows': block(`${TRUE} := by\n  have h : 0 + n = n := by\n    omega\n  exact h`).replaceAll(
    '\n',
    '\r\n',
  ),
  'a private theorem in a namespace': block(`namespace X\nprivate ${TRUE} := by\n  omega\nend X`),
  'an attribute and a doc comment': block(`/-- theorem claim : False -/\n@[simp]\n${TRUE} := by\n  omega`),
  'other spaces and a comment': block('theorem claim\n    (n : Nat) /- any -/ :\n    0 + n  = n := by\n  omega'),
  'an open above': block(`open Nat\n\ntheorem claim (n : Nat) : 0 + n = n := by\n  have := succ_eq_add_one n\n  omega`),
  'an open that is scoped, hides and renames': block(
    `open scoped List\nopen Nat hiding add_comm\nopen List renaming map → mapped in\n${TRUE} := by\n  have := succ_eq_add_one n\n  omega`,
  ),
  'opens of a larger library': block(
    `import Mathlib\nopen BigOperators Real Nat Topology Rat\n\n${TRUE} := by\n  omega`,
  ),
  'an open of a section': block(
    `section\nopen Nat\nlemma h (m : Nat) : succ m = m + 1 := succ_eq_add_one m\nend\n\n${TRUE} := by\n  have := h n\n  omega`,
  ),
  'a lemma before': block(`lemma h (m : Nat) : 0 + m = m := by\n  omega\n\n${TRUE} := h n`),
  'a block of an enumeration': `1. So\n   ${block(`${TRUE} := by\n  omega`).replaceAll('\n', '\n   ')}`,
  'a sketch before': `${block(`${TRUE} := by\n  sorry`)}\n\n${block(`${TRUE} := by\n  omega`)}`,
  'the statement again after': `${block(`${TRUE} := by\n  omega`)}\n\n${block(TRUE, '')}`,
};

const FORMATS = ['deepseek-prover-v2', 'goedel-prover-v2', 'kimina-prover'] as const;
const formOf = (format: (typeof FORMATS)[number], statement: string) => {
  const form = formattedForm(
    { ...loadFormat(format), thinking: { open: '<think>', close: '</think>' } },
    { header: null, statement },
    '',
  );
  return (text: string) => form.read(text, 'stop');
};

it('takes from each attack what it should', () => {
  for (const format of FORMATS) {
    const read = formOf(format, FALSE);
    const taken = Object.entries(ATTACKS).map(([name, [text]]) => {
      const answer = read(text);
      return [name, answer.kind === 'refused' ? answer.refusal.reason : answer.changed ? 'changed' : 'ours'];
    });
    const expected = Object.entries(ATTACKS).map(([name, [, what]]) => [name, what]);
    expect(Object.fromEntries(taken), format).toEqual(Object.fromEntries(expected));
  }
});

it('has none of it proved, and every honest proof among it', { tags: ['slow'] }, async () => {
  const verifier = await openVerifier({ environment, driver: 'json', ...settingsIn(scratchOfTest()), ...walls });
  const lies = Object.entries(ATTACKS).flatMap(([id, [text]]) => {
    const answer = formOf('goedel-prover-v2', FALSE)(text);
    return answer.kind === 'proof' ? [{ id, header: null, statement: FALSE, proof: answer.proof }] : [];
  });
  // Also where the whole text is the proof.
  const whole = Object.entries(ATTACKS).map(([id, [text]]) => ({
    id: `${id}, whole`,
    header: null,
    statement: FALSE,
    proof: text.replaceAll(/^`+\w*$/gmu, ''),
  }));
  const truths = Object.entries(HONESTLY).map(([id, text]) => {
    const answer = formOf('goedel-prover-v2', TRUE)(text);
    expect(answer, id).toMatchObject({ kind: 'proof', changed: false });
    return { id, header: null, statement: TRUE, proof: answer.kind === 'proof' ? answer.proof : '' };
  });
  const results = await verifier.check([...lies, ...whole, ...truths, { ...HONEST, id: 'honest' }]);
  await verifier.close();
  const proved = results.filter(({ kind }) => kind === 'proved').map(({ id }) => id);
  expect(proved).toEqual([...Object.keys(HONESTLY), 'honest']);
  expect(results.filter(({ kind }) => kind === 'infra')).toEqual([]);
});
