/**
 * The pieces of random proof texts: text that Lean's lexer treats specially, words of its grammar, proofs that hold for
 * true statements, and text that changes nothing. Data only.
 */

/** Goals of the random proofs; `isTrue` is known without Lean. */
export const STATEMENTS: readonly { readonly signature: string; readonly isTrue: boolean }[] = [
  { signature: ' : (2 : Nat) + 2 = 4', isTrue: true },
  { signature: ' : (1 : Nat) = 2', isTrue: false },
  { signature: ' (n : Nat) (h : n = 3) : n + 0 = n', isTrue: true },
  { signature: ' (n : Nat) (h : n = 3) : n + 1 = 5', isTrue: false },
  { signature: ' : True ∧ (0 : Nat) = 0', isTrue: true },
  { signature: ' : False', isTrue: false },
];

/** Signs that begin, end or change a token. */
export const SIGNS: readonly string[] = [
  ..."\" ' '' ''' ' ' `` ` ``` \\ \\\" \\' \\n \\x41 \\u0041 \\{ ! ? # @ @[ % $ & ~ ^ | || ; , . .. ... : := :: = => <;> <| |> · • ← → ↦ ∀ ∃ ¬ ∧ ∨ ↔ ≠ ≤ × ⁻¹ ⁻¹' ∑' ▸".split(
    ' ',
  ),
  ...'-- --- --/ -/ /- /-- /-! /-/ /--/ /-!/ /---/ -/- /-/- --\t -- -'.split(' '),
  ...'r" r#" r##" "# "## s!" m!" f!" s! r r# c! «  » «a» «a.b» « » «» a» ‹ › ⟨ ⟩ ⦃ ⦄ ⟦ ⟧ ( ) [ ] { } #[ #v[ ]\' .( .{ @{ ⟮ ⟯ ⌊ ⌋ ⟪ ⟫'.split(
    ' ',
  ),
  ...'0 1 2 4 00 0x 0x1 0xg 0b1 0b2 0o7 1_0 1__0 _1 1. 1.0 1.5e 1e3 1e-3 1e+ 0.1 2.succ 2 .succ 1.1.1'.split(' '),
  ...'α β λ Π Σ μ ₁ x₁ ₐ ℕ ℝ é ß ŀ ʰ ᵢ ⱼ 𝒜 𝔸 😀 а е ﬁ Ａ ０ ½ ² ª'.split(' '),
];

/** White space and characters that look like it, or like nothing. */
export const SPACES: readonly string[] = [
  ...[' ', '  ', '\n', '\n  ', '\n    ', '\n ', '\n\n', '\n      ', '\r\n', '\r\n  ', '\t', '\r', '\f', '\v', '\0'],
  ...[
    '\u00a0',
    '\u2003',
    '\u2028',
    '\u2029',
    '\u200b',
    '\u200d',
    '\u202e',
    '\ufeff',
    '\u3000',
    '\u00ad',
    '\u0085',
    '\u180e',
  ],
];

export const WORDS: readonly string[] = [
  'by exact rfl trivial decide set_option debug.skipKernelTC true in theorem x : end namespace open example axiom',
  'sorry admit have show from let fun at with intro simp omega first try skip done constructor refine apply match do where',
  'calc if then else assumption contradiction cases rcases obtain nomatch nofun this _ ?_ @rfl Eq.refl Nat Nat.succ h n',
  'False.elim absurd id True.intro Classical.em propext funext Eq.mpr cast unsafe instance local section mutual def import',
  'termination_by decreasing_by open_ byy rfl! rfl? rfl. x! x? s r m f h.1 h.2 Prop Type Sort u.{1} exact? set_option',
  'maxRecDepth 1000 macro notation attribute #eval #print #exit all_goals any_goals conv rw [h] native_decide +kernel',
]
  .join(' ')
  .split(' ');

/** Each proves some of the true statements. */
export const PROOFS: readonly string[] = [
  'rfl',
  'decide',
  'omega',
  'first | rfl | omega | simp',
  'first | omega | simp\n  done',
  'simp',
  'trivial',
  'simp_all',
  'subst h\n  rfl',
  'exact rfl',
  'exact ⟨trivial, rfl⟩',
  'constructor\n  · trivial\n  · rfl',
  'constructor <;> trivial',
  'first | rfl | omega | trivial',
  'first\n  | rfl\n  | omega\n  | exact ⟨trivial, rfl⟩',
  'refine ?_\n  first | decide | omega',
  'rw [h]',
  'cases h\n  rfl',
  'cases h with\n  | refl => rfl',
  'exact h ▸ rfl',
  'exact (by\n    first | rfl | omega | simp)',
  'exact (fun x => x) rfl',
  'have one : (1 : Nat) = 1 := rfl\n  omega',
  'have one : (1 : Nat) = 1 := by\n    rfl\n  first | omega | decide',
  "have xs := #[1, 2][0]'(by decide)\n  first | rfl | omega | trivial",
  "let x' := 'a'\n  first | rfl | omega | simp",
  'have _s := "a b"\n  first | rfl | omega | simp',
  'set_option maxRecDepth 1000 in\n  first | rfl | omega | simp',
  'open Nat in first | rfl | omega | simp',
  'let f : Nat → Nat\n    | 0 => 0\n    | n + 1 => n\n  first | rfl | omega | simp',
  'let rec f (n : Nat) : Nat := n + 1\n  first | rfl | omega | trivial',
  'match h with\n  | rfl => rfl',
  'show _ = _\n  first | rfl | omega | simp',
  'calc\n    (2 : Nat) + 2 = 4 := rfl\n    _ = 4 := rfl',
  'suffices True by first | rfl | omega | simp\n  trivial',
  'try exact absurd rfl (by simp)\n  first | rfl | omega | simp',
  'skip; first | rfl | omega | simp; done',
  '(first | rfl | omega | simp)',
  '{ first | rfl | omega | simp }',
  'all_goals first | rfl | omega | simp',
  'if b : (1 : Nat) = 1 then\n    first | rfl | omega | simp\n  else\n    exact absurd rfl b',
  'by_cases b : (1 : Nat) = 2 <;> first | rfl | omega | simp',
  'exact show (2 : Nat) + 2 = 4 from rfl',
  'exact Eq.trans (b := 4) rfl rfl',
  'simp +decide only [h]',
  'decide +kernel',
  'conv => lhs\n  first | rfl | omega | simp',
  'exact And.intro True.intro (Eq.refl 0)',
  'intros\n  try rename_i _\n  first | rfl | omega | simp',
  'have := (1 : Nat) - 1 / 2 % 3\n  first | rfl | omega | simp',
  'have p : Nat × Nat := (1, 2)\n  have := p.1.succ\n  first | rfl | omega | simp',
  'have := fun (x : Nat) {y : Nat} [Inhabited Nat] => x + y\n  first | rfl | omega | simp',
];

/** Text that changes no proof where white space may stand, and text that only looks so. */
export const FILLERS: readonly string[] = [
  ' /- c -/ ',
  ' /- /- c -/ -/ ',
  ' -- c\n  ',
  ' -- "\n  ',
  ' -- /-\n  ',
  ' -- -/\n  ',
  ' /- -- -/ ',
  ' /- " -/ ',
  " /- ' -/ ",
  ' /- « -/ ',
  ' /-\n -/ ',
  ' /- sorry -/ ',
  ' /-- c -/ ',
  ' /-! c -/ ',
  ' /--/ ',
  ' /---/ ',
  ' /-/- c -/ ',
  '\n  -- c\n',
  '\n',
  '\n  ',
  ' ',
  '  ',
  '\n    ',
  ' skip; ',
  ' skip\n  ',
  "have _c := 'b'; ",
  'have _s := "-- c"; ',
  'have _s := "{x}"; ',
  'have _s := r"a"; ',
  'have _s := s!"{1}"; ',
  'have «x y» := 1; ',
  "have x'' := 1; ",
  'have _t : Nat := (2).succ; ',
  'have _l := [1, 2]; ',
];
