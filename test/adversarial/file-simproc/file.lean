import Lean
simproc cheat (_ + _) := fun e => return .visit { expr := e }
theorem claim : 1 + 1 = 2 := by simp
