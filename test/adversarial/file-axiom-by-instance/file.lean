class Fact (p : Prop) where out : p
axiom anything (p : Prop) : Fact p
attribute [instance] anything
theorem claim : 1 = 2 := Fact.out
