prelude
import Init.Additions.Core
import Init.SimpLemmas

/-! What Lean 4.35's elaborator and tactics name and the 4.28 library does not have, stated as they use it: `if` with a name for its condition. -/

universe u

theorem dite_eq_left_of_eq_true {α : Sort u} {c : Prop} {_ : Decidable c} {t : c → α} {e : ¬c → α} (h : c = True) :
    dite c t e = t (of_eq_true h) :=
  dif_pos (h.symm ▸ trivial)

theorem dite_eq_right_of_eq_false {α : Sort u} {c : Prop} {_ : Decidable c} {t : c → α} {e : ¬c → α} (h : c = False) :
    dite c t e = e (of_eq_false h) :=
  dif_neg fun holds => h ▸ holds
