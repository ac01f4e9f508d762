axiom cheat : False
notation "propext" => cheat
theorem a : 1 = 2 := cheat.elim
