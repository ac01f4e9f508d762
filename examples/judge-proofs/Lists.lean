def twice (xs : List Nat) : List Nat := xs ++ xs

theorem length_twice (xs : List Nat) : (twice xs).length = 2 * xs.length := by
  simp [twice]
  omega

theorem twice_nil : twice [] = [] := rfl

theorem twice_cons (x : Nat) (xs : List Nat) : twice (x :: xs) = x :: x :: twice xs := by
  sorry
