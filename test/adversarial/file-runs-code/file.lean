import Lean
run_cmd Lean.logInfo "hello"
theorem a : 1 = 1 := rfl
