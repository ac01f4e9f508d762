axiom Std.HashMap.size_empty : False
theorem a : 1 = 2 := Std.HashMap.size_empty.elim
