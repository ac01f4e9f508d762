/** Which text `sorry` replaces, and where no copy is made. */
import type { LeanMessage } from '@stp/config/records';
import { describe, expect, it } from 'vitest';
import { spareOthers } from './wrong-proofs.ts';

const error = (line: number, column: number, text = 'wrong'): LeanMessage => ({
  severity: 'error',
  line,
  column,
  text,
});
const copyOf = (text: string, ...errors: LeanMessage[]): string | undefined => spareOthers(text, errors)?.text;

describe('a wrong proof', () => {
  it('is replaced, and every other line keeps its place', () => {
    const text = `theorem a : p := by
  -- first
  simp
    at h

/-- about b -/
@[simp]
theorem b : q := by rfl
`;
    const spared = spareOthers(text, [error(3, 2), error(3, 2, 'again')]);
    const kept = ['theorem a : p := sorry', '', '', '', '', '/-- about b -/', '@[simp]', 'theorem b : q := by rfl', ''];
    expect(spared!.text).toBe(kept.join('\n'));
    expect(spared!.wrong).toEqual([{ line: 1, fromLine: 1, toLine: 4, message: error(3, 2) }]);
  });
  it('begins behind the := outside brackets', () => {
    const text = 'theorem a (x : Nat := 1) [h : C (y := 2)] {z : T} : x = y := wrong x\n';
    expect(copyOf(text, error(1, text.indexOf('wrong')))).toBe(text.replace('wrong x', 'sorry'));
  });
  it.each([
    [
      'another theorem in its line',
      'theorem a : p := wrong theorem b : q := rfl',
      'theorem a : p := sorry theorem b : q := rfl',
    ],
    [
      'a line as far to the left',
      '  theorem a : p := by\n    wrong\n  mycommand x',
      '  theorem a : p := sorry\n\n  mycommand x',
    ],
    ['an opened namespace, however deep', 'theorem a : p := wrong\n    open N', 'theorem a : p := sorry\n    open N'],
    [
      'an attribute',
      'theorem a : p := wrong\n  @[instance] def x := 1',
      'theorem a : p := sorry\n  @[instance] def x := 1',
    ],
    ['a modifier', 'theorem a : p := wrong\n  private def x := 1', 'theorem a : p := sorry\n  private def x := 1'],
  ])('ends before %s', (_, text, copy) => {
    const line = text.split('\n').findIndex((one) => one.includes('wrong'));
    expect(copyOf(text, error(line + 1, text.split('\n')[line]!.indexOf('wrong')))).toBe(copy);
  });
  it('goes on with arms and measures at the left', () => {
    const text = 'theorem a : p := fun\n| 0 => wrong\ntermination_by n\n\ntheorem b : q := rfl';
    expect(copyOf(text, error(2, 7))).toBe('theorem a : p := sorry\n\n\n\ntheorem b : q := rfl');
  });
  it('counts columns in characters', () => {
    const text = 'theorem a : "𝔸𝔸𝔸" = "" := wrong';
    expect(copyOf(text, error(1, [...text].length - 1))).toBe('theorem a : "𝔸𝔸𝔸" = "" := sorry');
  });
});

it.each([
  ['an error outside of every proof', 'def x := wrong\ntheorem a : p := rfl', error(1, 9)],
  ['a theorem by arms', 'theorem a : p\n  | 0 => wrong', error(2, 9)],
  ['a text that declares notation', 'notation "x" => 1\ntheorem a : p := wrong', error(2, 17)],
  ['a text with macros', 'macro "x" : term => `(1)\ntheorem a : p := wrong', error(2, 17)],
  ['a text that does not end', 'theorem a : p := wrong /- ', error(1, 17)],
  ['a warning alone', 'theorem a : p := rfl', { ...error(1, 17), severity: 'warning' as const }],
])('there is no copy for %s', (_, text, message) => {
  expect(spareOthers(text, [message])).toBeNull();
});
