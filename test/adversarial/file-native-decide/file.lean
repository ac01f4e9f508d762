theorem a : 2 + 2 = 4 := by native_decide
