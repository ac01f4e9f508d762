axiom cheat : False
theorem «a
#print "b» : 1 = 2 := cheat.elim
