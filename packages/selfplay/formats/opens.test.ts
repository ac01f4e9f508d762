/** Tests how the text above the theorem of an answer is read: opens go with its proof, the rest is named. Text only. */

import { loadFormat } from '@stp/config';
import { expect, test } from 'vitest';
import { formattedForm } from './formatted.ts';

const STATEMENT = 'theorem t (n : Nat) : 0 + n = n';
const PROOF = `${STATEMENT} := by\n  simp\n  done`;
const BLOCK = 'simp\ndone';

function read(
  code: string,
  header = 'import Init\nopen List',
): { proof?: string; dropped?: string; changed?: boolean } {
  const form = formattedForm(loadFormat('deepseek-prover-v2'), { header, statement: STATEMENT }, 'import Init');
  return form.read(`\`\`\`lean4\n${code}\n\`\`\``, 'stop') as { proof?: string };
}

test.each([
  ['none', PROOF, BLOCK],
  ['one', `import Init\nopen Nat\n\n${PROOF}`, `open Nat in\n${BLOCK}`],
  ['what the header opens', `import Init\nopen List Nat\n${PROOF}`, `open Nat in\n${BLOCK}`],
  ['all that the header opens', `open List\n${PROOF}`, BLOCK],
  ['several lines', `open Nat\nopen\n  Int Fin\n${PROOF}`, `open Nat in\nopen Int Fin in\n${BLOCK}`],
  ['one command', `open Nat in\n${PROOF}`, `open Nat in\n${BLOCK}`],
  ['on its line', `open Nat in ${PROOF}`, `open Nat in\n${BLOCK}`],
  ['behind an option', `set_option maxHeartbeats 0 in\nopen Nat in\n${PROOF}`, `open Nat in\n${BLOCK}`],
  ['scoped', `open scoped Nat\n${PROOF}`, `open scoped Nat in\n${BLOCK}`],
  ['hiding', `open Nat hiding add_comm\n${PROOF}`, `open Nat hiding add_comm in\n${BLOCK}`],
  ['renaming', `open Nat renaming a → b, c → d\n${PROOF}`, `open Nat renaming a → b, c → d in\n${BLOCK}`],
  ['names', `open Nat (succ zero)\n${PROOF}`, `open Nat (succ zero) in\n${BLOCK}`],
  ['a section', `section A\nopen Nat\n${PROOF}\nend A`, `open Nat in\n${BLOCK}`],
  ['a section that has ended', `section\nopen Nat\nend\n${PROOF}`, BLOCK],
  ['a comment', `-- open Nat\n/- open Int -/\n${PROOF}`, BLOCK],
  ['below the theorem', `${PROOF}\n\nopen Nat`, BLOCK],
  [
    'of a lemma',
    `section\nopen Nat\nlemma h : True := by\n  trivial\nend\n${PROOF}`,
    `have h : open Nat in True := by\n  open Nat in\n  trivial\n${BLOCK}`,
  ],
  [
    'of an answer that imports more',
    `import Mathlib\nopen Nat\n${PROOF}`,
    `first\n| (\n  open Nat in\n  simp\n  done\n  )\n| (\n  simp\n  done\n  )`,
  ],
])('opens: %s', (_, code, proof) => {
  expect(read(code)).toMatchObject({ kind: 'proof', proof, changed: false });
});

test.each([
  ['nothing', `import Init\nopen Nat\nsection\n${PROOF}`, undefined],
  [
    'what only bounds or prints',
    `set_option maxHeartbeats 400000 in\nset_option linter.all false\n${PROOF}`,
    undefined,
  ],
  [
    'the rest',
    `import Mathlib\nnamespace A\nuniverse u\nvariable (x : Nat)\nset_option maxRecDepth 9 in\n${PROOF}`,
    'import Mathlib; namespace A; universe u; variable (x : Nat); set_option maxRecDepth 9',
  ],
  ['what has ended', `namespace A\nvariable (x : Nat)\nend A\n${PROOF}`, undefined],
])('drops %s', (_, code, dropped) => {
  expect(read(code).dropped).toBe(dropped);
});
