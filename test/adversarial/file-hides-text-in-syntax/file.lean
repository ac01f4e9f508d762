local notation "x-" => True
theorem a : 1 = 1 := rfl
