set_option «debug».skipKernelTC true
theorem a : 1 = 2 := by decide
