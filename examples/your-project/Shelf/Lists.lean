import Shelf.Basic

namespace Shelf
variable {α : Type u}

@[simp] theorem total_nil : total [] = 0 := rfl
@[simp] theorem total_cons (x : Nat) (xs : List Nat) : total (x :: xs) = x + total xs := rfl
theorem total_singleton (x : Nat) : total [x] = x := by simp
@[simp] theorem total_append (xs ys : List Nat) : total (xs ++ ys) = total xs + total ys := by
  induction xs with
  | nil => simp
  | cons x xs ih => simp [ih, Nat.add_assoc]
theorem total_append_comm (xs ys : List Nat) : total (xs ++ ys) = total (ys ++ xs) := by
  simp [Nat.add_comm]
@[simp] theorem total_reverse (xs : List Nat) : total xs.reverse = total xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [ih, Nat.add_comm]
theorem total_replicate (n x : Nat) : total (List.replicate n x) = n * x := by
  induction n with
  | zero => simp
  | succ n ih => simp [List.replicate_succ, ih, Nat.succ_mul, Nat.add_comm]
@[simp] theorem twice_nil : twice ([] : List α) = [] := rfl
@[simp] theorem twice_cons (x : α) (xs : List α) : twice (x :: xs) = x :: x :: twice xs := rfl
@[simp] theorem length_twice (xs : List α) : (twice xs).length = 2 * xs.length := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [ih]; omega
@[simp] theorem twice_append (xs ys : List α) : twice (xs ++ ys) = twice xs ++ twice ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [ih]
@[simp] theorem total_twice (xs : List Nat) : total (twice xs) = 2 * total xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [ih]; omega
theorem mem_twice (a : α) (xs : List α) : a ∈ twice xs ↔ a ∈ xs := by
  induction xs with
  | nil => simp
  | cons x xs ih => simp [ih]
theorem twice_ne_nil {xs : List α} (h : xs ≠ []) : twice xs ≠ [] := by
  cases xs <;> simp_all
theorem twice_map {β : Type v} (f : α → β) (xs : List α) : twice (xs.map f) = (twice xs).map f := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [ih]
@[simp] theorem spread_nil (a : α) : spread a [] = [] := rfl
@[simp] theorem length_spread (a : α) (xs : List α) : (spread a xs).length = 2 * xs.length := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [spread, ih]; omega
theorem spread_append (a : α) (xs ys : List α) : spread a (xs ++ ys) = spread a xs ++ spread a ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [spread, ih]
theorem total_spread (a : Nat) (xs : List Nat) : total (spread a xs) = total xs + xs.length * a := by
  induction xs with
  | nil => simp
  | cons x xs ih => simp [spread, ih, Nat.succ_mul]; omega
theorem length_spread_twice (a : α) (xs : List α) : (spread a (twice xs)).length = 4 * xs.length := by
  simp; omega

end Shelf
