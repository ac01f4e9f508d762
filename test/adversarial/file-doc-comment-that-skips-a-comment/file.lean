/-- -- -/ theorem t : 1 = 2 := rfl
-/
theorem t : 1 + 1 = 2 := rfl
