theorem t : 1 + 1 = 2 := rfl

#exitx

def f : False := sorry
instance : Inhabited Empty := ⟨sorry⟩
axiom wrong : False
