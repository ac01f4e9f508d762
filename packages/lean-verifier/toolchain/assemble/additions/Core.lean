prelude
import Init.Core

/-! What Lean 4.35's elaborator and tactics name and the 4.28 library does not have, stated as they use it: equality, `match` and `if`. -/

universe u v w

theorem congrFun' {α : Sort u} {β : Sort v} {f g : α → β} (h : f = g) (a : α) : f a = g a :=
  h ▸ rfl

/-! ### Used by `match` with patterns that are values -/

/-- `Eq.ndrec` along an equality that is written the other way round. -/
abbrev Eq.ndrec_symm.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α} (h : b = a) :
    motive b :=
  Eq.ndrec m h.symm

abbrev HEq.homo_ndrec.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α} (h : a ≍ b) :
    motive b :=
  Eq.ndrec m (eq_of_heq h)

abbrev HEq.homo_ndrec_symm.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α} (h : b ≍ a) :
    motive b :=
  Eq.ndrec m (eq_of_heq h).symm

/-! ### `if … then … else` with a known condition -/

/-! 4.35's tactics pass the arguments of these four by place, in the order of 4.28's `if_pos` and `dif_pos`. -/

theorem ite_eq_left {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t e : α} : ite c t e = t :=
  if_pos hc

theorem ite_eq_right {c : Prop} {h : Decidable c} (hnc : ¬c) {α : Sort u} {t e : α} : ite c t e = e :=
  if_neg hnc

theorem dite_eq_left {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t : c → α} {e : ¬c → α} : dite c t e = t hc :=
  dif_pos hc

theorem dite_eq_right {c : Prop} {h : Decidable c} (hnc : ¬c) {α : Sort u} {t : c → α} {e : ¬c → α} :
    dite c t e = e hnc :=
  dif_neg hnc

theorem ite_eq_left_of_eq_true {α : Sort u} {c : Prop} {_ : Decidable c} (a b : α) (h : c = True) :
    (if c then a else b) = a :=
  if_pos (h.symm ▸ trivial)

theorem ite_eq_right_of_eq_false {α : Sort u} {c : Prop} {_ : Decidable c} (a b : α) (h : c = False) :
    (if c then a else b) = b :=
  if_neg fun holds => h ▸ holds

/-! ### Constructors that differ -/

theorem Lean.injEq_helper {P Q R : Prop} (h : P → Q → R) (both : P ∧ Q) : R :=
  h both.left both.right

/-- 4.35 compares the numbers of constructors, which are natural numbers; 4.28's lemma is for any decidable type. -/
abbrev noConfusionEnum {α : Sort u} (f : α → Nat) {P : Sort w} {x y : α} (h : x = y) : noConfusionTypeEnum f P x y :=
  noConfusionEnum28 f h
