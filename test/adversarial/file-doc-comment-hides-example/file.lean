/-- -- /-
-/
example : False := sorry
-- -/
theorem t : 1 + 1 = 2 := rfl
