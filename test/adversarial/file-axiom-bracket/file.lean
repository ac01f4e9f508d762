axiom «x]» : False
theorem a : 1 = 2 := «x]».elim
