prelude
import Init.Prelude
inductive Iff (a b : Prop) : Prop | intro : Iff a b
theorem bad : Iff True False := Iff.intro
