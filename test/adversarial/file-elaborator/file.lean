import Lean
open Lean Elab Term in
elab "anything" : term => return mkConst ``True.intro
theorem claim : True := anything
