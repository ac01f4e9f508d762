namespace Nat.Evil
private axiom gcd : False
theorem a : 1 = 2 := gcd.elim
end Nat.Evil
