axiom Lean.Meta.evil : False
axiom Std.Internal.List.evil : False
theorem a : 1 = 2 := Lean.Meta.evil.elim
