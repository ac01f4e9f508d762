/-! -- /-
-/
set_option debug.skipKernelTC true
example : False := sorry
-- -/
theorem t : 1 + 1 = 2 := rfl
