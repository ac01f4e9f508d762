/** Tests the range of a suggestion: afterwards the file contains the text that Lean checked, after any characters. */

import { openFilePositions } from '@stp/lean-explore';
import type { FilePositions } from '@stp/lean-explore/testing';
import {
  coreEnvironment,
  DRIVER_MEMORY_BYTES_MAX as MEMORY_BYTES_MAX,
  scratchFolder,
} from '@stp/lean-verifier/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EditTarget, editTarget, type Position } from './edit-target.ts';

const TWO_STEPS = ['refine ⟨?_, hp⟩', 'exact hq'];
const LIMITS = { deadlineMs: 10_000 };

let positions: FilePositions;
beforeAll(async () => {
  const [environment, workingDirectory] = [await coreEnvironment(), scratchFolder()];
  const options = { memoryBytesMax: MEMORY_BYTES_MAX, heartbeatsMax: 20_000 };
  positions = openFilePositions({ environment, workingDirectory, runMark: `test-place-${process.pid}`, ...options });
});
afterAll(() => positions.close());

/** The cursor is at `¦`. */
function targetIn(marked: string, isBroken = false): { text: string; target: EditTarget } {
  const before = marked.slice(0, marked.indexOf('¦')).split('\n');
  const text = marked.replace('¦', '');
  return { text, target: editTarget(text, { line: before.length - 1, character: before.at(-1)!.length }, isBroken) };
}

function edited(text: string, { range: { start, end }, newText }: EditTarget, tactic: string): string {
  const lines = text.split('\n');
  const offset = ({ line, character }: Position): number =>
    lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, character);
  return text.slice(0, offset(start)) + newText(tactic) + text.slice(offset(end));
}

const P_AND_Q = '(𝔸 q : Prop) (hp : 𝔸) (hq : q) : q ∧ 𝔸';

test.each([
  ['a hole behind letters of two UTF-16 units', `example ${P_AND_Q} := by s¦orry`],
  ['a term in the place of a hole', `example ${P_AND_Q} := ¦sorry`],
  ['below such an alternative', `example ${P_AND_Q} := by\n  cases q using em_𝔸 with\n  | 𝔸 => skip¦`],
  ['an empty line below `by`', `example ${P_AND_Q} := by\n¦`],
  ['a bullet', `example ${P_AND_Q} := by\n  · ¦`],
])('%s', async (_, marked) => {
  const { text, target } = targetIn(marked);
  // A text that Lean cannot open shows the columns alone.
  if (marked.includes('em_𝔸')) {
    expect(edited(text, target, 'skip').split('\n').at(-1)).toBe('         skip');
    return;
  }
  const opened = await positions.openAt(target.context, LIMITS);
  if (opened.kind !== 'open') throw new Error(JSON.stringify(opened));
  const first = await opened.state.run(TWO_STEPS[0]!, LIMITS);
  if (first.kind !== 'open') throw new Error(JSON.stringify(first));
  expect((await first.state.run(TWO_STEPS[1]!, LIMITS)).kind).toBe('done');
  const after = `${edited(text, target, TWO_STEPS.join('\n'))}\n\nexample (p : Prop) (h : p) : p := by\n  `;
  expect(await positions.openAt(after, LIMITS)).toMatchObject({ kind: 'open', messages: [] });
});

test('a sorry in a comment is no hole', () => {
  const { target } = targetIn('example : 1 = 1 := by\n  skip -- or so¦rry');
  expect(target.context.split('\n').slice(-2)).toEqual(['  skip -- or sorry', '  ']);
});
