prelude
import Init.Prelude
def Nat.gcd (_ _ : Nat) : Nat := 0
theorem zero (m n : Nat) : Eq (Nat.gcd m n) 0 := Eq.refl 0
attribute [irreducible] Nat.gcd
theorem two : Eq (Nat.gcd 4 6) 2 := Eq.refl 2
theorem bad : False := Nat.noConfusion (Eq.trans (Eq.symm (zero 4 6)) two)
