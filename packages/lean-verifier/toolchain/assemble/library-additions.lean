prelude
import Init.Library428

/-! What Lean 4.35's elaborator and tactics name and the 4.28 library does not have. Each is stated as they use it. -/

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
  if_pos (of_eq_true h)

theorem ite_eq_right_of_eq_false {α : Sort u} {c : Prop} {_ : Decidable c} (a b : α) (h : c = False) :
    (if c then a else b) = b :=
  if_neg (of_eq_false h)

theorem dite_eq_left_of_eq_true {α : Sort u} {c : Prop} {_ : Decidable c} {t : c → α} {e : ¬c → α} (h : c = True) :
    dite c t e = t (of_eq_true h) :=
  dif_pos (of_eq_true h)

theorem dite_eq_right_of_eq_false {α : Sort u} {c : Prop} {_ : Decidable c} {t : c → α} {e : ¬c → α} (h : c = False) :
    dite c t e = e (of_eq_false h) :=
  dif_neg (of_eq_false h)

/-! ### Constructors that differ -/

theorem Lean.injEq_helper {P Q R : Prop} (h : P → Q → R) (both : P ∧ Q) : R :=
  h both.left both.right

/-- 4.35 compares the numbers of constructors, which are natural numbers; 4.28's lemma is for any decidable type. -/
abbrev noConfusionEnum {α : Sort u} (f : α → Nat) {P : Sort w} {x y : α} (h : x = y) : noConfusionTypeEnum f P x y :=
  noConfusionEnum28 f h

/-! ### Used by `do` notation

`return`, `break` and `continue` within a loop or a `try` leave it as values: `Except` tells a returned value from a result, `Option` a
result from a loop that is left. -/

abbrev EarlyReturnT.{u1, u2} (ρ : Type u1) (m : Type u1 → Type u2) (α : Type u1) : Type u2 :=
  ExceptT ρ m α

abbrev EarlyReturnT.return.{u1, u2} {ρ : Type u1} {m : Type u1 → Type u2} {α : Type u1} [Monad m] (value : ρ) :
    EarlyReturnT ρ m α :=
  ExceptT.mk (pure (Except.error value))

abbrev EarlyReturn.runK.{u1, u2} {ρ α : Type u1} {β : Type u2} (result : Except ρ α) (returned : ρ → β) (next : α → β) : β :=
  match result with
  | .error value => returned value
  | .ok value => next value

abbrev BreakT.{u1, u2} : (Type u1 → Type u2) → Type u1 → Type u2 :=
  OptionT

abbrev BreakT.break.{u1, u2} {α : Type u1} {m : Type u1 → Type u2} [Monad m] : BreakT m α :=
  OptionT.mk (pure none)

/-- 4.35 names also the function that `match` becomes here, with the case of a value first. -/
abbrev Break.runK.{u1, u2} {α : Type u1} {β : Type u2} (result : Option α) (left : Unit → β) (next : α → β) : β :=
  match result with
  | some value => next value
  | none => left ()

abbrev ContinueT.{u1, u2} : (Type u1 → Type u2) → Type u1 → Type u2 :=
  OptionT

abbrev ContinueT.continue.{u1, u2} {α : Type u1} {m : Type u1 → Type u2} [Monad m] : ContinueT m α :=
  OptionT.mk (pure none)

abbrev Continue.runK.{u1, u2} {α : Type u1} {β : Type u2} (result : Option α) (left : Unit → β) (next : α → β) : β :=
  Break.runK result left next

/-! ### Used by well-founded recursion -/

-- 4.35 unfolds an instance only where it says so; termination proofs need this one unfolded.
set_option allowUnsafeReducibility true in
attribute [instance_reducible] Nat.lt_wfRel

/-! ### Configurations of `simp` and `dsimp`

4.35 reads the fields by place. Those of 4.28 come first, as they are there; the last three, or two, are new. -/

namespace Lean.Meta

structure DSimp.Config where
  zeta : Bool := true
  beta : Bool := true
  eta : Bool := true
  etaStruct : EtaStructMode := .all
  iota : Bool := true
  proj : Bool := true
  decide : Bool := false
  autoUnfold : Bool := false
  failIfUnchanged : Bool := true
  unfoldPartialApp : Bool := false
  zetaDelta : Bool := false
  index : Bool := true
  zetaUnused : Bool := true
  zetaHave : Bool := true
  locals : Bool := false
  instances : Bool := false

namespace Simp

structure Config where
  maxSteps : Nat := 100000
  maxDischargeDepth : Nat := 2
  contextual : Bool := false
  memoize : Bool := true
  singlePass : Bool := false
  zeta : Bool := true
  beta : Bool := true
  eta : Bool := true
  etaStruct : EtaStructMode := .all
  iota : Bool := true
  proj : Bool := true
  decide : Bool := false
  arith : Bool := false
  autoUnfold : Bool := false
  dsimp : Bool := true
  failIfUnchanged : Bool := true
  ground : Bool := false
  unfoldPartialApp : Bool := false
  zetaDelta : Bool := false
  index : Bool := true
  implicitDefEqProofs : Bool := true
  zetaUnused : Bool := true
  catchRuntime : Bool := true
  zetaHave : Bool := true
  letToHave : Bool := true
  congrConsts : Bool := true
  bitVecOfNat : Bool := true
  warnExponents : Bool := true
  suggestions : Bool := false
  maxSuggestions : Option Nat := none
  locals : Bool := false
  instances : Bool := false

structure ConfigCtx extends Config where
  contextual := true

structure NormCastConfig extends Config where
  zeta := false
  beta := false
  eta := false
  proj := false
  iota := false

end Simp
end Lean.Meta

/-! ### Used by `grind` -/

class Lean.Grind.PowIdentity (α : Type u) [Lean.Grind.CommSemiring α] (p : outParam Nat) : Prop where
  pow_eq (a : α) : a ^ p = a

namespace Int.Internal.Linear

/-! The certificates are checked by evaluation. They may accept more than 4.35's own, as long as the lemmas hold. -/

abbrev eq_def_struct_cert (x : Var) (e : Expr) (p : Poly) : Bool :=
  (Poly.add (-1) x e.norm).norm.beq' p.norm

theorem eq_def_struct (ctx : Context) (x : Var) (e : Expr) (p : Poly) (accepted : eq_def_struct_cert x e p)
    (h : x.denote ctx = e.denote ctx) : p.denote' ctx = 0 := by
  simp [eq_def_struct_cert] at accepted
  have value := congrArg (Poly.denote ctx) accepted
  simp [Poly.denote_norm, Poly.denote] at value
  rw [Poly.denote'_eq_denote, ← value, h, Expr.denote_norm]
  omega

abbrev eq_def_struct_norm_cert (x : Var) (e : Expr) (q q' p : Poly) : Bool :=
  (e.norm.norm.beq' q.norm).and' ((Poly.add (-1) x q').norm.beq' p.norm)

theorem eq_def_struct_norm (ctx : Context) (x : Var) (e : Expr) (q q' p : Poly)
    (accepted : eq_def_struct_norm_cert x e q q' p) (h : x.denote ctx = e.denote ctx)
    (hq : q.denote' ctx = q'.denote' ctx) : p.denote' ctx = 0 := by
  simp [eq_def_struct_norm_cert] at accepted
  have left := congrArg (Poly.denote ctx) accepted.1
  have right := congrArg (Poly.denote ctx) accepted.2
  simp [Poly.denote_norm, Poly.denote, Expr.denote_norm, Poly.denote'_eq_denote] at left right hq
  rw [Poly.denote'_eq_denote, ← right, ← hq, h, left]
  omega

theorem eq_of_zero_dvd (ctx : Context) (p : Poly) (h : 0 ∣ p.denote' ctx) : p.denote' ctx = 0 :=
  Int.zero_dvd.mp h

end Int.Internal.Linear
