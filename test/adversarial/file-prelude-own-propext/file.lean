prelude
import Init.Prelude
axiom propext (a b : Prop) : Eq a b
theorem bad : False := cast (propext True False) True.intro
