/-
theorem a : 1 = 2 := rfl
-/
