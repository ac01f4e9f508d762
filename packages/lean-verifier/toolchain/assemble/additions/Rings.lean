prelude
import Init.Grind.Ring.Basic

/-! What Lean 4.35's elaborator and tactics name and the 4.28 library does not have, stated as they use it: rings of `grind`. -/

universe u

class Lean.Grind.PowIdentity (α : Type u) [Lean.Grind.CommSemiring α] (p : outParam Nat) : Prop where
  pow_eq (a : α) : a ^ p = a
