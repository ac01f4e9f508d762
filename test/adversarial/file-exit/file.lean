theorem a : 1 = 1 := rfl
#exit
theorem b : 1 = 2 := rfl
