/**
 * The pieces of random files: names, namespaces, lines that declare nothing, and statements with their proofs. Data
 * only.
 */

/** As written and as printed. Some are words of Lean's grammar, or look like more than one name. */
export const ODD_NAMES: readonly (readonly [string, string])[] = [
  ['«theorem»', 'theorem'],
  ['«end»', 'end'],
  ['«axiom»', 'axiom'],
  ['«namespace»', 'namespace'],
  ['«sorry»', 'sorry'],
  ['«a b»', '«a b»'],
  ['«x.y»', '«x.y»'],
  ['«1»', '«1»'],
  ['«a--b»', '«a--b»'],
  ['«/-»', '«/-»'],
  ['«"»', '«"»'],
  ['«:= sorry»', '«:= sorry»'],
  ["prime'", "prime'"],
  ['bang!', 'bang!'],
  ['mark?', 'mark?'],
  ['α₁', 'α₁'],
  ['ünï', 'ünï'],
  ['propext', 'propext'],
  ['sorryAx', 'sorryAx'],
  ['trivial', 'trivial'],
  ['rfl', 'rfl'],
  ['mk', 'mk'],
  ['rec', 'rec'],
  ['eq_1', 'eq_1'],
  ['«open»', 'open'],
  ['end_', 'end_'],
  ['sorry_', 'sorry_'],
  ['x.y.z', 'x.y.z'],
];

export const NAMESPACES = [
  'A',
  'B',
  'C',
  'A.B',
  'B.A',
  'A.B.C',
  'Nat',
  '«end»',
  '«A B»',
  "A'",
  'Lean.Elab',
  'Classical',
];

/** Where a line may stand: comments and texts that look like declarations. */
export const NOISE: readonly string[] = [
  '/- theorem hidden : False := sorry -/',
  '/- /- nested -/ end A -/',
  '-- theorem hidden : 1 = 2 := sorry /-',
  '/-! A section. theorem hidden : False -/',
  '#check Nat.add_comm',
  '#print axioms Nat.add_comm',
  'example : (1 : Nat) = 1 := rfl',
  'example (a b : Nat) : a + b = b + a := by omega -- sorry',
  'universe u',
  'set_option linter.unusedVariables false',
  'open Nat',
  'attribute [local simp] Nat.add_comm',
  'variable (unused : Nat)',
  '--',
  '/--/ -- -/ example : True := True.intro',
];

export const TRUE_STATEMENTS: readonly (readonly [string, readonly string[]])[] = [
  [' : (1 : Nat) = 1', [':= rfl', ':= by rfl', ':= by decide', ':= by\n  simp', ':= Eq.refl _', ':= (rfl)']],
  [' (n : Nat) : n + 0 = n', [':= rfl', ':= by omega', ':= by simp', ':= Nat.add_zero n']],
  [' : ∀ n : Nat, n + 0 = n', ['\n  | 0 => rfl\n  | _ + 1 => rfl', ':= fun _ => rfl', ':= by\n  intro n\n  rfl']],
  [' (p q : Prop) (h : p ∧ q) : q ∧ p', [':= ⟨h.2, h.1⟩', ':= by\n  constructor\n  · exact h.2\n  · exact h.1']],
  [' : "theorem x : False := sorry" = "theorem x : False := sorry"', [':= rfl', ':= by rfl']],
  [' : (2 : Nat) + 2 = 4', [':= by decide', ':= by /- sorry -/ rfl', ':= by -- sorry\n  rfl']],
];

/** Texts that may stand before a name that is written from the root, one in no namespace, and one in a namespace. */
export const VISIBILITIES = {
  rooted: [''],
  top: ['', '', '', 'private '],
  inside: ['', '', '', 'private ', 'protected '],
} as const;
