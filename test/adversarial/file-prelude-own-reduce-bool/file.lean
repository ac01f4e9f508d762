prelude
import Init.Prelude
def Lean.reduceBool (b : Bool) : Bool := b
theorem bad : Eq (Lean.reduceBool Bool.false) Bool.false := Eq.refl Bool.false
