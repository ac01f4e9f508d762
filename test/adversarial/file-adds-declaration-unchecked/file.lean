import Lean
run_cmd Lean.modifyEnv fun env => env
theorem claim : 1 = 1 := rfl
