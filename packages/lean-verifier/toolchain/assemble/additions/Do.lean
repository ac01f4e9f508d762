prelude
import Init.Control.Except
import Init.Control.Option

/-! What Lean 4.35's elaborator and tactics name and the 4.28 library does not have, stated as they use it: `do` notation. -/

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
