namespace Evil
axiom propext : False
theorem a : 1 = 2 := propext.elim
end Evil
