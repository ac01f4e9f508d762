/-! Facts about the lists and options that come with Lean, in the words of this library. -/
namespace Stp

theorem length_append_comm {α : Type} (xs ys : List α) : (xs ++ ys).length = (ys ++ xs).length := by
  simp [Nat.add_comm]

theorem length_append_self {α : Type} (xs : List α) : (xs ++ xs).length = 2 * xs.length := by
  rw [List.length_append]
  omega

theorem length_append_three {α : Type} (xs ys zs : List α) : (xs ++ ys ++ zs).length = xs.length + ys.length + zs.length := by
  rw [List.length_append, List.length_append]

theorem length_reverse_append {α : Type} (xs ys : List α) : (xs ++ ys).reverse.length = ys.length + xs.length := by
  rw [List.length_reverse, List.length_append, Nat.add_comm]

theorem length_map_append {α β : Type} (f : α → β) (xs ys : List α) : (xs.map f ++ ys.map f).length = (xs ++ ys).length := by
  simp

theorem length_cons_append {α : Type} (x : α) (xs ys : List α) : (xs ++ x :: ys).length = (xs ++ ys).length + 1 := by
  simp
  omega

theorem append_nil_both {α : Type} (xs : List α) : [] ++ xs ++ [] = xs := by
  simp

theorem append_regroup_four {α : Type} (ws xs ys zs : List α) : (ws ++ xs) ++ (ys ++ zs) = ws ++ (xs ++ ys) ++ zs := by
  simp

theorem append_move_singleton {α : Type} (xs ys : List α) (x : α) : (xs ++ [x]) ++ ys = xs ++ (x :: ys) := by
  simp

theorem append_self_length_even {α : Type} (xs : List α) : (xs ++ xs).length % 2 = 0 := by
  rw [length_append_self]
  omega

theorem append_nil_iff {α : Type} (xs ys : List α) : xs ++ ys = [] ↔ ys ++ xs = [] := by
  cases xs <;> cases ys <;> simp

theorem reverse_append_reverse {α : Type} (xs ys : List α) : (xs.reverse ++ ys.reverse).reverse = ys ++ xs := by
  simp

theorem reverse_three {α : Type} (x y z : α) : [x, y, z].reverse = [z, y, x] := by
  rfl

theorem reverse_twice_append {α : Type} (xs ys : List α) : xs.reverse.reverse ++ ys = xs ++ ys := by
  rw [List.reverse_reverse]

theorem reverse_palindrome {α : Type} (xs : List α) : (xs ++ xs.reverse).reverse = xs ++ xs.reverse := by
  rw [List.reverse_append, List.reverse_reverse]

theorem reverse_eq_both {α : Type} (xs ys : List α) (h : xs.reverse = ys) : xs = ys.reverse := by
  rw [← h, List.reverse_reverse]

theorem map_twice {α : Type} (f : α → α) (xs : List α) : (xs.map f).map f = xs.map (fun x => f (f x)) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp

theorem map_append_three {α β : Type} (f : α → β) (xs ys zs : List α) : (xs ++ ys ++ zs).map f = xs.map f ++ ys.map f ++ zs.map f := by
  rw [List.map_append, List.map_append]

theorem map_add_zero (ns : List Nat) : ns.map (fun n => n + 0) = ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => simp

theorem map_not_not (bs : List Bool) : bs.map (fun b => !(!b)) = bs := by
  induction bs with
  | nil => rfl
  | cons b bs ih => simp

theorem map_ignores {α : Type} (c : Nat) (xs : List α) : (xs.map (fun _ => c)).length = xs.length := by
  rw [List.length_map]

theorem map_replicate_const (k a b : Nat) : (List.replicate k a).map (fun n => n + b) = List.replicate k (a + b) := by
  induction k with
  | zero => rfl
  | succ k ih => simp

theorem sum_append_comm (ms ns : List Nat) : (ms ++ ns).sum = (ns ++ ms).sum := by
  simp [Nat.add_comm]

theorem sum_append_self (ns : List Nat) : (ns ++ ns).sum = 2 * ns.sum := by
  simp
  omega

theorem sum_map_succ (ns : List Nat) : (ns.map (fun n => n + 1)).sum = ns.sum + ns.length := by
  induction ns with
  | nil => rfl
  | cons n ns ih =>
    simp [ih]
    omega

theorem sum_map_double (ns : List Nat) : (ns.map (fun n => n + n)).sum = ns.sum + ns.sum := by
  induction ns with
  | nil => rfl
  | cons n ns ih =>
    simp [ih]
    omega

theorem sum_map_zero {α : Type} (xs : List α) : (xs.map (fun _ => 0)).sum = 0 := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [ih]

theorem sum_replicate_one (k : Nat) : (List.replicate k 1).sum = k := by
  induction k with
  | zero => rfl
  | succ k ih =>
    rw [List.replicate_succ, List.sum_cons, ih]
    omega

theorem filter_twice_and {α : Type} (p q : α → Bool) (xs : List α) : (xs.filter q).filter p = xs.filter (fun x => p x && q x) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => cases hp : p x <;> cases hq : q x <;> simp [hp, hq, ih]

theorem filter_none {α : Type} (xs : List α) : xs.filter (fun _ => false) = [] := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp

theorem filter_everything {α : Type} (xs : List α) : xs.filter (fun _ => true) = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp

theorem filter_map_length {α : Type} (p : α → Bool) (f : α → α) (h : ∀ x, p (f x) = p x) (xs : List α) : ((xs.map f).filter p).length = (xs.filter p).length := by
  induction xs with
  | nil => rfl
  | cons x xs ih => cases hp : p x <;> simp [h, hp, ih]

theorem all_append_comm {α : Type} (p : α → Bool) (xs ys : List α) : (xs ++ ys).all p = (ys ++ xs).all p := by
  rw [List.all_append, List.all_append, Bool.and_comm]

theorem any_append_comm {α : Type} (p : α → Bool) (xs ys : List α) : (xs ++ ys).any p = (ys ++ xs).any p := by
  rw [List.any_append, List.any_append, Bool.or_comm]

theorem mem_append_comm {α : Type} (x : α) (xs ys : List α) (h : x ∈ xs ++ ys) : x ∈ ys ++ xs := by
  rw [List.mem_append] at h
  rw [List.mem_append]
  exact h.symm

theorem mem_cons_of_mem_rest {α : Type} (x y : α) (xs : List α) (h : x ∈ xs) : x ∈ y :: xs := by
  exact List.mem_cons_of_mem y h

theorem mem_middle {α : Type} (x : α) (xs ys : List α) : x ∈ xs ++ x :: ys := by
  simp

theorem mem_map_of_mem {α β : Type} (f : α → β) (x : α) (xs : List α) (h : x ∈ xs) : f x ∈ xs.map f := by
  induction xs with
  | nil => contradiction
  | cons y ys ih =>
    cases h with
    | head => simp
    | tail _ h => exact List.mem_cons_of_mem (f y) (ih h)

theorem mem_self_append {α : Type} (x : α) (xs : List α) : x ∈ xs ++ xs ↔ x ∈ xs := by
  simp

theorem not_mem_append {α : Type} (x : α) (xs ys : List α) (h : x ∉ xs ++ ys) : x ∉ xs ∧ x ∉ ys := by
  simp_all

theorem foldr_cons_append {α : Type} (xs ys : List α) : xs.foldr (fun x zs => x :: zs) ys = xs ++ ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp

theorem foldl_add_start (k : Nat) (ns : List Nat) : ns.foldl (fun a b => a + b) k = k + ns.sum := by
  induction ns generalizing k with
  | nil => rfl
  | cons n ns ih =>
    simp [ih]
    omega

theorem option_map_twice {α : Type} (f : α → α) (x : Option α) : (x.map f).map f = x.map (fun a => f (f a)) := by
  cases x <;> rfl

theorem option_getD_map (d : Nat) (x : Option Nat) : (x.map (fun n => n + 1)).getD (d + 1) = x.getD d + 1 := by
  cases x <;> rfl

theorem option_orElse_none {α : Type} (x : Option α) : (x <|> none) = x := by
  cases x <;> rfl

theorem option_some_inj {α : Type} (a b : α) (h : some a = some b) : a = b := by
  injection h

theorem option_isSome_or_none {α : Type} (x : Option α) : x.isSome = true ∨ x = none := by
  cases x with
  | none => exact Or.inr rfl
  | some a => exact Or.inl rfl

theorem bool_and_swap (a b c : Bool) : (a && b && c) = (c && b && a) := by
  cases a <;> cases b <;> cases c <;> rfl

theorem bool_or_swap (a b c : Bool) : (a || b || c) = (c || b || a) := by
  cases a <;> cases b <;> cases c <;> rfl

theorem bool_cases (p : Bool → Prop) (ht : p true) (hf : p false) (b : Bool) : p b := by
  cases b with
  | true => exact ht
  | false => exact hf

theorem bool_not_and (a b : Bool) : (!(a && b)) = (!a || !b) := by
  cases a <;> cases b <;> rfl

theorem bool_eq_true_or_false (b : Bool) : b = true ∨ b = false := by
  cases b with
  | true => exact Or.inl rfl
  | false => exact Or.inr rfl

theorem bool_if_same {α : Type} (b : Bool) (x : α) : (if b then x else x) = x := by
  cases b <;> rfl

theorem bool_beq_self (b : Bool) : (b == b) = true := by
  cases b <;> rfl

theorem bool_xor_swap (a b : Bool) : (a != b) = (b != a) := by
  cases a <;> cases b <;> rfl

end Stp
