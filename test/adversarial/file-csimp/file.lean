def one : Nat := 1
def two : Nat := 2
@[csimp] theorem same : @one = @two := sorry
theorem claim : one = 2 := by native_decide
