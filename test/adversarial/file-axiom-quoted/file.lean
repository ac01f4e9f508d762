axiom «propext, Quot.sound» : False
theorem a : 1 = 2 := «propext, Quot.sound».elim
