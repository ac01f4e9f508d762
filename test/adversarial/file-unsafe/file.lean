unsafe def bad : 1 = 2 := unsafeCast ()
theorem claim : 1 = 2 := bad
