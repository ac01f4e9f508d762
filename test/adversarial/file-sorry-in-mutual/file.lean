mutual
theorem a : 1 = 2 := sorry
theorem b : 1 = 2 := a
end
