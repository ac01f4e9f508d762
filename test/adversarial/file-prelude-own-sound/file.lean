prelude
import Init.Prelude
axiom Quot.sound (a b : Prop) : Eq a b
theorem bad : False := cast (Quot.sound True False) True.intro
