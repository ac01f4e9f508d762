theorem Erdos.main : 1 = 1 := rfl
namespace Erdos
#guard_msgs (drop all) in
theorem main : ∀ n : Nat, n = n + 1 := by decide
end Erdos
