axiom Nat.gcd_evil : False
theorem a : 1 = 2 := Nat.gcd_evil.elim
