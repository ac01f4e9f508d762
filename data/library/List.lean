import Stp.Double
import Stp.Order
/-! Lists: appending, reversing, length, adding at the end, copies, flattening. -/
namespace Stp

def app {α : Type} : List α → List α → List α
  | [], ys => ys
  | x :: xs, ys => x :: app xs ys

def len {α : Type} : List α → Nat
  | [] => 0
  | _ :: xs => len xs + 1

def rev {α : Type} : List α → List α
  | [] => []
  | x :: xs => app (rev xs) [x]

def snoc {α : Type} : List α → α → List α
  | [], y => [y]
  | x :: xs, y => x :: snoc xs y

def revOnto {α : Type} : List α → List α → List α
  | [], ys => ys
  | x :: xs, ys => revOnto xs (x :: ys)

def copies {α : Type} : Nat → α → List α
  | 0, _ => []
  | n + 1, x => x :: copies n x

def flat {α : Type} : List (List α) → List α
  | [] => []
  | xs :: xss => app xs (flat xss)

def isNil {α : Type} : List α → Bool
  | [] => true
  | _ :: _ => false

def firstOr {α : Type} (d : α) : List α → α
  | [] => d
  | x :: _ => x

def rest {α : Type} : List α → List α
  | [] => []
  | _ :: xs => xs

theorem app_nil_left {α : Type} (xs : List α) : app [] xs = xs := by
  rfl

theorem app_cons {α : Type} (x : α) (xs ys : List α) : app (x :: xs) ys = x :: app xs ys := by
  rfl

theorem app_nil {α : Type} (xs : List α) : app xs [] = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [app_cons, ih]

theorem app_assoc {α : Type} (xs ys zs : List α) : app (app xs ys) zs = app xs (app ys zs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [app_cons, app_cons, app_cons, ih]

theorem app_assoc_four {α : Type} (ws xs ys zs : List α) : app (app (app ws xs) ys) zs = app ws (app xs (app ys zs)) := by
  rw [app_assoc, app_assoc]

theorem app_eq_append {α : Type} (xs ys : List α) : app xs ys = xs ++ ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [app_cons, ih, List.cons_append]

theorem app_singleton_app {α : Type} (xs ys : List α) (y : α) : app (app xs [y]) ys = app xs (y :: ys) := by
  rw [app_assoc, app_cons, app_nil_left]

theorem app_eq_nil {α : Type} (xs ys : List α) (h : app xs ys = []) : xs = [] ∧ ys = [] := by
  cases xs with
  | nil => exact ⟨rfl, h⟩
  | cons x xs => contradiction

theorem app_ne_nil {α : Type} (xs ys : List α) (y : α) : app xs (y :: ys) ≠ [] := by
  intro h
  have := app_eq_nil xs (y :: ys) h
  simp_all

theorem len_nil {α : Type} : len ([] : List α) = 0 := by
  rfl

theorem len_cons {α : Type} (x : α) (xs : List α) : len (x :: xs) = len xs + 1 := by
  rfl

theorem len_singleton {α : Type} (x : α) : len [x] = 1 := by
  rfl

theorem len_app {α : Type} (xs ys : List α) : len (app xs ys) = len xs + len ys := by
  induction xs with
  | nil => rw [app_nil_left, len_nil, Nat.zero_add]
  | cons x xs ih => rw [app_cons, len_cons, len_cons, ih, Nat.succ_add]

theorem len_app_comm {α : Type} (xs ys : List α) : len (app xs ys) = len (app ys xs) := by
  rw [len_app, len_app, Nat.add_comm]

theorem len_app_self {α : Type} (xs : List α) : len (app xs xs) = double (len xs) := by
  rw [len_app, double_eq_add]

theorem len_app_three {α : Type} (xs ys zs : List α) : len (app xs (app ys zs)) = len xs + len ys + len zs := by
  rw [len_app, len_app, Nat.add_assoc]

theorem len_app_cons {α : Type} (xs ys : List α) (y : α) : len (app xs (y :: ys)) = len (app xs ys) + 1 := by
  rw [len_app, len_app, len_cons, Nat.add_assoc]

theorem len_le_app_left {α : Type} (xs ys : List α) : len xs ≤ len (app xs ys) := by
  rw [len_app]
  omega

theorem len_le_app_right {α : Type} (xs ys : List α) : len ys ≤ len (app xs ys) := by
  rw [len_app]
  omega

theorem len_eq_length {α : Type} (xs : List α) : len xs = xs.length := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [len_cons, ih, List.length_cons]

theorem len_eq_zero {α : Type} (xs : List α) (h : len xs = 0) : xs = [] := by
  cases xs with
  | nil => rfl
  | cons x xs => contradiction

theorem len_eq_zero_iff {α : Type} (xs : List α) : len xs = 0 ↔ xs = [] := by
  constructor
  · exact len_eq_zero xs
  · intro h
    rw [h, len_nil]

theorem len_pos {α : Type} (xs : List α) (h : xs ≠ []) : 0 < len xs := by
  cases xs with
  | nil => contradiction
  | cons x xs =>
    rw [len_cons]
    omega

theorem evenb_len_app_self {α : Type} (xs : List α) : evenb (len (app xs xs)) = true := by
  rw [len_app_self, evenb_double]

theorem evenb_len_app {α : Type} (xs ys : List α) : evenb (len (app xs ys)) = sameb (evenb (len xs)) (evenb (len ys)) := by
  rw [len_app, evenb_add]

theorem rev_nil {α : Type} : rev ([] : List α) = [] := by
  rfl

theorem rev_cons {α : Type} (x : α) (xs : List α) : rev (x :: xs) = app (rev xs) [x] := by
  rfl

theorem rev_singleton {α : Type} (x : α) : rev [x] = [x] := by
  rfl

theorem rev_app {α : Type} (xs ys : List α) : rev (app xs ys) = app (rev ys) (rev xs) := by
  induction xs with
  | nil => rw [app_nil_left, rev_nil, app_nil]
  | cons x xs ih => rw [app_cons, rev_cons, rev_cons, ih, app_assoc]

theorem rev_app_singleton {α : Type} (xs : List α) (x : α) : rev (app xs [x]) = x :: rev xs := by
  rw [rev_app, rev_singleton, app_cons, app_nil_left]

theorem rev_rev {α : Type} (xs : List α) : rev (rev xs) = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [rev_cons, rev_app_singleton, ih]

theorem rev_inj {α : Type} (xs ys : List α) (h : rev xs = rev ys) : xs = ys := by
  rw [← rev_rev xs, h, rev_rev]

theorem rev_app_three {α : Type} (xs ys zs : List α) : rev (app xs (app ys zs)) = app (rev zs) (app (rev ys) (rev xs)) := by
  rw [rev_app, rev_app, app_assoc]

theorem rev_app_rev {α : Type} (xs ys : List α) : rev (app (rev xs) ys) = app (rev ys) xs := by
  rw [rev_app, rev_rev]

theorem rev_app_rev_rev {α : Type} (xs ys : List α) : rev (app (rev xs) (rev ys)) = app ys xs := by
  rw [rev_app, rev_rev, rev_rev]

theorem rev_palindrome {α : Type} (xs : List α) : rev (app xs (rev xs)) = app xs (rev xs) := by
  rw [rev_app, rev_rev]

theorem rev_eq_reverse {α : Type} (xs : List α) : rev xs = xs.reverse := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [rev_cons, app_eq_append, ih, List.reverse_cons]

theorem rev_eq_nil {α : Type} (xs : List α) (h : rev xs = []) : xs = [] := by
  rw [← rev_rev xs, h, rev_nil]

theorem len_rev {α : Type} (xs : List α) : len (rev xs) = len xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [rev_cons, len_app, ih, len_singleton, len_cons]

theorem len_rev_app {α : Type} (xs ys : List α) : len (rev (app xs ys)) = len xs + len ys := by
  rw [len_rev, len_app]

theorem len_app_rev {α : Type} (xs ys : List α) : len (app (rev xs) ys) = len (app xs ys) := by
  rw [len_app, len_app, len_rev]

theorem len_app_rev_self {α : Type} (xs : List α) : len (app xs (rev xs)) = double (len xs) := by
  rw [len_app, len_rev, double_eq_add]

theorem snoc_nil {α : Type} (y : α) : snoc [] y = [y] := by
  rfl

theorem snoc_cons {α : Type} (x : α) (xs : List α) (y : α) : snoc (x :: xs) y = x :: snoc xs y := by
  rfl

theorem snoc_eq_app {α : Type} (xs : List α) (y : α) : snoc xs y = app xs [y] := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [snoc_cons, ih, app_cons]

theorem len_snoc {α : Type} (xs : List α) (y : α) : len (snoc xs y) = len xs + 1 := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [snoc_cons, len_cons, ih, len_cons]

theorem snoc_ne_nil {α : Type} (xs : List α) (y : α) : snoc xs y ≠ [] := by
  cases xs <;> simp [snoc]

theorem app_snoc {α : Type} (xs ys : List α) (y : α) : app xs (snoc ys y) = snoc (app xs ys) y := by
  rw [snoc_eq_app, snoc_eq_app, app_assoc]

theorem app_snoc_left {α : Type} (xs ys : List α) (x : α) : app (snoc xs x) ys = app xs (x :: ys) := by
  rw [snoc_eq_app, app_singleton_app]

theorem rev_snoc {α : Type} (xs : List α) (y : α) : rev (snoc xs y) = y :: rev xs := by
  rw [snoc_eq_app, rev_app_singleton]

theorem rev_cons_snoc {α : Type} (x : α) (xs : List α) : rev (x :: xs) = snoc (rev xs) x := by
  rw [rev_cons, snoc_eq_app]

theorem snoc_rev {α : Type} (xs : List α) (y : α) : snoc (rev xs) y = rev (y :: xs) := by
  rw [rev_cons_snoc]

theorem revOnto_nil {α : Type} (ys : List α) : revOnto [] ys = ys := by
  rfl

theorem revOnto_cons {α : Type} (x : α) (xs ys : List α) : revOnto (x :: xs) ys = revOnto xs (x :: ys) := by
  rfl

theorem revOnto_eq_app {α : Type} (xs ys : List α) : revOnto xs ys = app (rev xs) ys := by
  induction xs generalizing ys with
  | nil => rfl
  | cons x xs ih => rw [revOnto_cons, ih, rev_cons, app_singleton_app]

theorem revOnto_eq_rev {α : Type} (xs : List α) : revOnto xs [] = rev xs := by
  rw [revOnto_eq_app, app_nil]

theorem len_revOnto {α : Type} (xs ys : List α) : len (revOnto xs ys) = len xs + len ys := by
  induction xs generalizing ys with
  | nil => rw [revOnto_nil, len_nil, Nat.zero_add]
  | cons x xs ih =>
    rw [revOnto_cons, ih, len_cons, len_cons]
    omega

theorem revOnto_app {α : Type} (xs ys zs : List α) : revOnto xs (app ys zs) = app (revOnto xs ys) zs := by
  rw [revOnto_eq_app, revOnto_eq_app, app_assoc]

theorem rev_revOnto {α : Type} (xs ys : List α) : rev (revOnto xs ys) = app (rev ys) xs := by
  rw [revOnto_eq_app, rev_app_rev]

theorem revOnto_revOnto {α : Type} (xs : List α) : revOnto (revOnto xs []) [] = xs := by
  rw [revOnto_eq_rev, revOnto_eq_rev, rev_rev]

theorem copies_zero {α : Type} (x : α) : copies 0 x = [] := by
  rfl

theorem copies_succ {α : Type} (n : Nat) (x : α) : copies (n + 1) x = x :: copies n x := by
  rfl

theorem len_copies {α : Type} (n : Nat) (x : α) : len (copies n x) = n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [copies_succ, len_cons, ih]

theorem copies_add {α : Type} (m n : Nat) (x : α) : copies (m + n) x = app (copies m x) (copies n x) := by
  induction m with
  | zero => rw [Nat.zero_add, copies_zero, app_nil_left]
  | succ m ih => rw [Nat.succ_add, copies_succ, copies_succ, app_cons, ih]

theorem copies_double {α : Type} (n : Nat) (x : α) : copies (double n) x = app (copies n x) (copies n x) := by
  rw [double_eq_add, copies_add]

theorem copies_app_comm {α : Type} (m n : Nat) (x : α) : app (copies m x) (copies n x) = app (copies n x) (copies m x) := by
  rw [← copies_add, Nat.add_comm, copies_add]

theorem copies_succ_end {α : Type} (n : Nat) (x : α) : app (copies n x) [x] = copies (n + 1) x := by
  rw [copies_add]
  rfl

theorem snoc_copies {α : Type} (n : Nat) (x : α) : snoc (copies n x) x = copies (n + 1) x := by
  rw [snoc_eq_app, copies_succ_end]

theorem rev_copies {α : Type} (n : Nat) (x : α) : rev (copies n x) = copies n x := by
  induction n with
  | zero => rfl
  | succ n ih => rw [copies_succ, rev_cons, ih, copies_succ_end, copies_succ]

theorem flat_nil {α : Type} : flat ([] : List (List α)) = [] := by
  rfl

theorem flat_cons {α : Type} (xs : List α) (xss : List (List α)) : flat (xs :: xss) = app xs (flat xss) := by
  rfl

theorem flat_singleton {α : Type} (xs : List α) : flat [xs] = xs := by
  rw [flat_cons, flat_nil, app_nil]

theorem flat_app {α : Type} (xss yss : List (List α)) : flat (app xss yss) = app (flat xss) (flat yss) := by
  induction xss with
  | nil => rfl
  | cons xs xss ih => rw [app_cons, flat_cons, flat_cons, ih, app_assoc]

theorem flat_snoc {α : Type} (xss : List (List α)) (ys : List α) : flat (snoc xss ys) = app (flat xss) ys := by
  rw [snoc_eq_app, flat_app, flat_singleton]

theorem flat_copies_nil {α : Type} (n : Nat) : flat (copies n ([] : List α)) = [] := by
  induction n with
  | zero => rfl
  | succ n ih => rw [copies_succ, flat_cons, ih, app_nil]

theorem len_flat_copies {α : Type} (n : Nat) (xs : List α) : len (flat (copies n xs)) = n * len xs := by
  induction n with
  | zero => rw [copies_zero, flat_nil, len_nil, Nat.zero_mul]
  | succ n ih =>
    rw [copies_succ, flat_cons, len_app, ih, Nat.succ_mul]
    omega

theorem isNil_app {α : Type} (xs ys : List α) : isNil (app xs ys) = andb (isNil xs) (isNil ys) := by
  cases xs <;> rfl

theorem isNil_true_iff {α : Type} (xs : List α) : isNil xs = true ↔ xs = [] := by
  cases xs <;> simp [isNil]

theorem isNil_eq_isZero_len {α : Type} (xs : List α) : isNil xs = isZero (len xs) := by
  cases xs <;> rfl

theorem isNil_rev {α : Type} (xs : List α) : isNil (rev xs) = isNil xs := by
  rw [isNil_eq_isZero_len, isNil_eq_isZero_len, len_rev]

theorem isNil_app_comm {α : Type} (xs ys : List α) : isNil (app xs ys) = isNil (app ys xs) := by
  rw [isNil_app, isNil_app, andb_comm]

theorem isNil_snoc {α : Type} (xs : List α) (y : α) : isNil (snoc xs y) = false := by
  cases xs <;> rfl

theorem isNil_copies {α : Type} (n : Nat) (x : α) : isNil (copies n x) = isZero n := by
  cases n <;> rfl

theorem firstOr_nil {α : Type} (d : α) : firstOr d [] = d := by
  rfl

theorem firstOr_cons {α : Type} (d x : α) (xs : List α) : firstOr d (x :: xs) = x := by
  rfl

theorem firstOr_app {α : Type} (d : α) (xs ys : List α) : firstOr d (app xs ys) = firstOr (firstOr d ys) xs := by
  cases xs <;> rfl

theorem firstOr_rev_snoc {α : Type} (d : α) (xs : List α) (x : α) : firstOr d (rev (snoc xs x)) = x := by
  rw [rev_snoc, firstOr_cons]

theorem firstOr_copies {α : Type} (n : Nat) (x : α) : firstOr x (copies n x) = x := by
  cases n <;> rfl

theorem rest_cons {α : Type} (x : α) (xs : List α) : rest (x :: xs) = xs := by
  rfl

theorem firstOr_rest {α : Type} (d : α) (xs : List α) (h : xs ≠ []) : firstOr d xs :: rest xs = xs := by
  cases xs with
  | nil => contradiction
  | cons x xs => rfl

theorem len_rest {α : Type} (xs : List α) : len (rest xs) = len xs - 1 := by
  cases xs <;> rfl

theorem rest_app {α : Type} (xs ys : List α) (h : xs ≠ []) : rest (app xs ys) = app (rest xs) ys := by
  cases xs with
  | nil => contradiction
  | cons x xs => rfl

theorem rest_copies {α : Type} (n : Nat) (x : α) : rest (copies (n + 1) x) = copies n x := by
  rfl

theorem rest_rev_snoc {α : Type} (xs : List α) (x : α) : rest (rev (snoc xs x)) = rev xs := by
  rw [rev_snoc, rest_cons]

end Stp
