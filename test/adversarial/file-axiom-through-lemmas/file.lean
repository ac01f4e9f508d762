axiom bad : 1 = 2
theorem x1 : 2 = 1 := bad.symm
theorem x2 : 1 = 2 := x1.symm
theorem claim : 1 = 2 := x2
