/** Which texts no one can judge from outside, and which one can. No Lean; under a second. */
import { tokenize } from '@stp/lean-text';
import { expect, test } from 'vitest';
import { findUnjudgeable } from './file-policy.ts';

const judge = (text: string): string | null => findUnjudgeable(text, tokenize(text));

test.each([
  '#evalx',
  '#eval! x',
  '#exitx',
  '#exit.x',
  '#guard_msgsin\nexample : True := trivial',
  '#guard f 1',
  '#test_extern f 1',
  '#html x',
  '#widgetx',
  'def a := eval%x',
  'def a := elab_stx% x',
  'cbv_simproc f (1) := fun e => return .continue',
  'grind_propagator p ↑Nat.add := fun e => pure ()',
  'declare_config_elab e C',
  'declare_simp_like_tactic x "y" fun c => c',
  'register_parser_alias x',
  'register_label_attr x',
  'theorem t : True := by run_tacq x',
  'show_panel_widgets [x]',
  'namespace Lean.Parser.Command\nlocal syntax (name := declaration) declModifiers term : command',
  'local syntax "x " Lean.Parser.Command.commentBody : tactic',
  'local notation (name := declaration) "x" => 1',
  'local infixl:65 (priority := high) (name := app) " + " => f',
  '/-- -- -/ theorem t : 1 = 2 := rfl\n-/',
  '/-! /- -/ -/',
  '/--\n\n  -- x\n-/',
  '/----- x\n-/',
  'def a := s!"{let rec /-- -- -/ f := 1; f}"',
])('refuses %j', (text) => {
  expect(judge(text)).toMatch(/^\d+:\d+: /);
});

test.each([
  '#check x\n#print axioms t\n#reduce 1 + 1\n#synth Inhabited Nat',
  'theorem t (s : Finset Nat) : #s = #s := rfl',
  'def a := #[1, 2] ++ #v[3].toArray',
  'def a := n%2 + x % y',
  'local notation "x" => 1\nlocal infixl:65 " + " => f',
  '/-- A word -- and a dash. -/\n/-! # Title\n-- a line -/',
  '/--\n- a list\n-/\n/-- /a/ -/',
  'def declared := registered',
])('passes %j', (text) => {
  expect(judge(text)).toBeNull();
});
