theorem t : 1 + 1 = 2 := rfl
/-- error: Application type mismatch: The argument
  3
has type
  Nat
but is expected to have type
  Empty
in the application
  { default := 3 } -/
#guard_msgsin
instance : Inhabited Empty := ⟨(3 : Nat)⟩
