axiom cheat : False
theorem a : 1 = 2 := cheat.elim
