prelude
import Init.Additions.Core
import Init.Data.Int.Linear
import Init.Omega

/-! What Lean 4.35's elaborator and tactics name and the 4.28 library does not have, stated as they use it: linear arithmetic of `grind`. -/

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
