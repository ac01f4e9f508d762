import Stp.List
import Stp.Pair
import Stp.Maybe
/-! Mapping, keeping, counting and testing the elements of a list. -/
namespace Stp

def mapl {α β : Type} (f : α → β) : List α → List β
  | [] => []
  | x :: xs => f x :: mapl f xs

def keep {α : Type} (p : α → Bool) : List α → List α
  | [] => []
  | x :: xs => if p x then x :: keep p xs else keep p xs

def countIf {α : Type} (p : α → Bool) : List α → Nat
  | [] => 0
  | x :: xs => if p x then countIf p xs + 1 else countIf p xs

def allb {α : Type} (p : α → Bool) : List α → Bool
  | [] => true
  | x :: xs => andb (p x) (allb p xs)

def anyb {α : Type} (p : α → Bool) : List α → Bool
  | [] => false
  | x :: xs => orb (p x) (anyb p xs)

def firstThat {α : Type} (p : α → Bool) : List α → Option α
  | [] => none
  | x :: xs => if p x then some x else firstThat p xs

theorem mapl_nil {α β : Type} (f : α → β) : mapl f [] = [] := by
  rfl

theorem mapl_cons {α β : Type} (f : α → β) (x : α) (xs : List α) : mapl f (x :: xs) = f x :: mapl f xs := by
  rfl

theorem mapl_id {α : Type} (xs : List α) : mapl (fun x => x) xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, ih]

theorem mapl_mapl {α β γ : Type} (f : α → β) (g : β → γ) (xs : List α) : mapl g (mapl f xs) = mapl (compose g f) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, mapl_cons, mapl_cons, ih, compose_apply]

theorem mapl_app {α β : Type} (f : α → β) (xs ys : List α) : mapl f (app xs ys) = app (mapl f xs) (mapl f ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [app_cons, mapl_cons, mapl_cons, app_cons, ih]

theorem mapl_app_three {α β : Type} (f : α → β) (xs ys zs : List α) : mapl f (app xs (app ys zs)) = app (mapl f xs) (app (mapl f ys) (mapl f zs)) := by
  rw [mapl_app, mapl_app]

theorem len_mapl {α β : Type} (f : α → β) (xs : List α) : len (mapl f xs) = len xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, len_cons, len_cons, ih]

theorem len_mapl_app {α β : Type} (f : α → β) (xs ys : List α) : len (mapl f (app xs ys)) = len xs + len ys := by
  rw [len_mapl, len_app]

theorem mapl_rev {α β : Type} (f : α → β) (xs : List α) : mapl f (rev xs) = rev (mapl f xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [rev_cons, mapl_app, ih, mapl_cons, mapl_cons, mapl_nil, rev_cons]

theorem mapl_snoc {α β : Type} (f : α → β) (xs : List α) (y : α) : mapl f (snoc xs y) = snoc (mapl f xs) (f y) := by
  rw [snoc_eq_app, mapl_app, snoc_eq_app, mapl_cons, mapl_nil]

theorem mapl_copies {α β : Type} (f : α → β) (n : Nat) (x : α) : mapl f (copies n x) = copies n (f x) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [copies_succ, mapl_cons, ih, copies_succ]

theorem mapl_const {α β : Type} (y : β) (xs : List α) : mapl (fun _ => y) xs = copies (len xs) y := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, ih, len_cons, copies_succ]

theorem mapl_flat {α β : Type} (f : α → β) (xss : List (List α)) : mapl f (flat xss) = flat (mapl (mapl f) xss) := by
  induction xss with
  | nil => rfl
  | cons xs xss ih => rw [flat_cons, mapl_app, ih, mapl_cons, flat_cons]

theorem mapl_revOnto {α β : Type} (f : α → β) (xs ys : List α) : mapl f (revOnto xs ys) = revOnto (mapl f xs) (mapl f ys) := by
  rw [revOnto_eq_app, mapl_app, mapl_rev, revOnto_eq_app]

theorem mapl_congr {α β : Type} (f g : α → β) (h : ∀ x, f x = g x) (xs : List α) : mapl f xs = mapl g xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, mapl_cons, ih, h]

theorem mapl_inj {α β : Type} (f : α → β) (h : ∀ x y, f x = f y → x = y) (xs ys : List α) (he : mapl f xs = mapl f ys) : xs = ys := by
  induction xs generalizing ys with
  | nil =>
    cases ys with
    | nil => rfl
    | cons y ys => contradiction
  | cons x xs ih =>
    cases ys with
    | nil => contradiction
    | cons y ys =>
      rw [mapl_cons, mapl_cons] at he
      injection he with h1 h2
      rw [h x y h1, ih ys h2]

theorem mapl_inverse {α β : Type} (f : α → β) (g : β → α) (h : ∀ x, g (f x) = x) (xs : List α) : mapl g (mapl f xs) = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, mapl_cons, ih, h]

theorem mapl_notb_twice (bs : List Bool) : mapl notb (mapl notb bs) = bs := by
  rw [mapl_inverse notb notb notb_notb]

theorem mapl_half_double (ns : List Nat) : mapl half (mapl double ns) = ns := by
  rw [mapl_inverse double half half_double]

theorem mapl_eq_map {α β : Type} (f : α → β) (xs : List α) : mapl f xs = xs.map f := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, ih, List.map_cons]

theorem isNil_mapl {α β : Type} (f : α → β) (xs : List α) : isNil (mapl f xs) = isNil xs := by
  cases xs <;> rfl

theorem firstOr_mapl {α β : Type} (f : α → β) (d : α) (xs : List α) : firstOr (f d) (mapl f xs) = f (firstOr d xs) := by
  cases xs <;> rfl

theorem rest_mapl {α β : Type} (f : α → β) (xs : List α) : rest (mapl f xs) = mapl f (rest xs) := by
  cases xs <;> rfl

theorem mapl_swapPair_twice {α β : Type} (ps : List (α × β)) : mapl swapPair (mapl swapPair ps) = ps := by
  rw [mapl_inverse swapPair swapPair swapPair_swapPair]

theorem keep_nil {α : Type} (p : α → Bool) : keep p [] = [] := by
  rfl

theorem keep_cons_true {α : Type} (p : α → Bool) (x : α) (xs : List α) (h : p x = true) : keep p (x :: xs) = x :: keep p xs := by
  simp [keep, h]

theorem keep_cons_false {α : Type} (p : α → Bool) (x : α) (xs : List α) (h : p x = false) : keep p (x :: xs) = keep p xs := by
  simp [keep, h]

theorem keep_true {α : Type} (xs : List α) : keep (fun _ => true) xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [keep, ih]

theorem keep_false {α : Type} (xs : List α) : keep (fun _ => false) xs = [] := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [keep, ih]

theorem keep_keep {α : Type} (p : α → Bool) (xs : List α) : keep p (keep p xs) = keep p xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    cases h : p x with
    | true => rw [keep_cons_true p x xs h, keep_cons_true p x (keep p xs) h, ih]
    | false => rw [keep_cons_false p x xs h, ih]

theorem keep_swap {α : Type} (p q : α → Bool) (xs : List α) : keep p (keep q xs) = keep q (keep p xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => cases hp : p x <;> cases hq : q x <;> simp [keep, hp, hq, ih]

theorem keep_andb {α : Type} (p q : α → Bool) (xs : List α) : keep (fun x => andb (p x) (q x)) xs = keep p (keep q xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => cases hp : p x <;> cases hq : q x <;> simp [keep, andb_true_iff, hp, hq, ih]

theorem keep_mapl {α β : Type} (p : β → Bool) (f : α → β) (xs : List α) : keep p (mapl f xs) = mapl f (keep (compose p f) xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => cases h : p (f x) <;> simp [keep, mapl, compose_apply, h, ih]

theorem keep_eq_filter {α : Type} (p : α → Bool) (xs : List α) : keep p xs = xs.filter p := by
  induction xs with
  | nil => rfl
  | cons x xs ih => cases h : p x <;> simp [keep, h, ih]

theorem keep_copies_false {α : Type} (p : α → Bool) (x : α) (h : p x = false) (n : Nat) : keep p (copies n x) = [] := by
  induction n with
  | zero => rfl
  | succ n ih => rw [copies_succ, keep_cons_false p x (copies n x) h, ih]

theorem keep_copies_true {α : Type} (p : α → Bool) (x : α) (h : p x = true) (n : Nat) : keep p (copies n x) = copies n x := by
  induction n with
  | zero => rfl
  | succ n ih => rw [copies_succ, keep_cons_true p x (copies n x) h, ih]

theorem countIf_nil {α : Type} (p : α → Bool) : countIf p [] = 0 := by
  rfl

theorem countIf_cons_true {α : Type} (p : α → Bool) (x : α) (xs : List α) (h : p x = true) : countIf p (x :: xs) = countIf p xs + 1 := by
  simp [countIf, h]

theorem countIf_cons_false {α : Type} (p : α → Bool) (x : α) (xs : List α) (h : p x = false) : countIf p (x :: xs) = countIf p xs := by
  simp [countIf, h]

theorem countIf_eq_len_keep {α : Type} (p : α → Bool) (xs : List α) : countIf p xs = len (keep p xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    cases h : p x with
    | true => rw [countIf_cons_true p x xs h, keep_cons_true p x xs h, len_cons, ih]
    | false => rw [countIf_cons_false p x xs h, keep_cons_false p x xs h, ih]

theorem countIf_app {α : Type} (p : α → Bool) (xs ys : List α) : countIf p (app xs ys) = countIf p xs + countIf p ys := by
  induction xs with
  | nil => rw [app_nil_left, countIf_nil, Nat.zero_add]
  | cons x xs ih =>
    cases h : p x with
    | true =>
      rw [app_cons, countIf_cons_true p x _ h, countIf_cons_true p x xs h, ih]
      omega
    | false => rw [app_cons, countIf_cons_false p x _ h, countIf_cons_false p x xs h, ih]

theorem countIf_app_comm {α : Type} (p : α → Bool) (xs ys : List α) : countIf p (app xs ys) = countIf p (app ys xs) := by
  rw [countIf_app, countIf_app, Nat.add_comm]

theorem countIf_app_self {α : Type} (p : α → Bool) (xs : List α) : countIf p (app xs xs) = double (countIf p xs) := by
  rw [countIf_app, double_eq_add]

theorem countIf_cons_app {α : Type} (p : α → Bool) (x : α) (xs : List α) : countIf p (x :: xs) = countIf p [x] + countIf p xs := by
  rw [← countIf_app, app_cons, app_nil_left]

theorem countIf_le_len {α : Type} (p : α → Bool) (xs : List α) : countIf p xs ≤ len xs := by
  induction xs with
  | nil => exact Nat.le_refl 0
  | cons x xs ih =>
    simp only [countIf, len]
    split <;> omega

theorem countIf_true {α : Type} (xs : List α) : countIf (fun _ => true) xs = len xs := by
  rw [countIf_eq_len_keep, keep_true]

theorem countIf_false {α : Type} (xs : List α) : countIf (fun _ => false) xs = 0 := by
  rw [countIf_eq_len_keep, keep_false, len_nil]

theorem countIf_notb {α : Type} (p : α → Bool) (xs : List α) : countIf p xs + countIf (fun x => notb (p x)) xs = len xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [len_cons, ← ih]
    cases h : p x with
    | true =>
      simp [countIf, h, notb_true]
      omega
    | false =>
      simp [countIf, h, notb_false]
      omega

theorem countIf_mapl {α β : Type} (p : β → Bool) (f : α → β) (xs : List α) : countIf p (mapl f xs) = countIf (compose p f) xs := by
  rw [countIf_eq_len_keep, keep_mapl, len_mapl, countIf_eq_len_keep]

theorem countIf_keep {α : Type} (p : α → Bool) (xs : List α) : countIf p (keep p xs) = countIf p xs := by
  rw [countIf_eq_len_keep, keep_keep, countIf_eq_len_keep]

theorem countIf_rev {α : Type} (p : α → Bool) (xs : List α) : countIf p (rev xs) = countIf p xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [rev_cons, countIf_app_comm, app_cons, app_nil_left, countIf_cons_app, ih, ← countIf_cons_app]

theorem allb_nil {α : Type} (p : α → Bool) : allb p [] = true := by
  rfl

theorem allb_cons {α : Type} (p : α → Bool) (x : α) (xs : List α) : allb p (x :: xs) = andb (p x) (allb p xs) := by
  rfl

theorem allb_app {α : Type} (p : α → Bool) (xs ys : List α) : allb p (app xs ys) = andb (allb p xs) (allb p ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [app_cons, allb_cons, allb_cons, ih, andb_assoc]

theorem allb_app_comm {α : Type} (p : α → Bool) (xs ys : List α) : allb p (app xs ys) = allb p (app ys xs) := by
  rw [allb_app, allb_app, andb_comm]

theorem allb_rev {α : Type} (p : α → Bool) (xs : List α) : allb p (rev xs) = allb p xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [rev_cons, allb_app, ih, allb_cons, allb_nil, andb_true, andb_comm, allb_cons]

theorem allb_true {α : Type} (xs : List α) : allb (fun _ => true) xs = true := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [allb_cons, ih]
    rfl

theorem allb_keep {α : Type} (p : α → Bool) (xs : List α) : allb p (keep p xs) = true := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    cases h : p x with
    | true =>
      rw [keep_cons_true p x xs h, allb_cons, ih, h]
      rfl
    | false => rw [keep_cons_false p x xs h, ih]

theorem allb_mapl {α β : Type} (p : β → Bool) (f : α → β) (xs : List α) : allb p (mapl f xs) = allb (compose p f) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, allb_cons, allb_cons, ih, compose_apply]

theorem allb_copies {α : Type} (p : α → Bool) (n : Nat) (x : α) (h : p x = true) : allb p (copies n x) = true := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [copies_succ, allb_cons, ih, h]
    rfl

theorem allb_andb {α : Type} (p q : α → Bool) (xs : List α) : allb (fun x => andb (p x) (q x)) xs = andb (allb p xs) (allb q xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [allb_cons, allb_cons, allb_cons, ih]
    cases p x <;> cases q x <;> cases allb p xs <;> rfl

theorem allb_keep_id {α : Type} (p : α → Bool) (xs : List α) (h : allb p xs = true) : keep p xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [allb_cons, andb_true_iff] at h
    rw [keep_cons_true p x xs h.1, ih h.2]

theorem allb_countIf {α : Type} (p : α → Bool) (xs : List α) (h : allb p xs = true) : countIf p xs = len xs := by
  rw [countIf_eq_len_keep, allb_keep_id p xs h]

theorem anyb_nil {α : Type} (p : α → Bool) : anyb p [] = false := by
  rfl

theorem anyb_cons {α : Type} (p : α → Bool) (x : α) (xs : List α) : anyb p (x :: xs) = orb (p x) (anyb p xs) := by
  rfl

theorem anyb_app {α : Type} (p : α → Bool) (xs ys : List α) : anyb p (app xs ys) = orb (anyb p xs) (anyb p ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [app_cons, anyb_cons, anyb_cons, ih, orb_assoc]

theorem anyb_app_comm {α : Type} (p : α → Bool) (xs ys : List α) : anyb p (app xs ys) = anyb p (app ys xs) := by
  rw [anyb_app, anyb_app, orb_comm]

theorem anyb_rev {α : Type} (p : α → Bool) (xs : List α) : anyb p (rev xs) = anyb p xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [rev_cons, anyb_app, ih, anyb_cons, anyb_nil, orb_false, orb_comm, anyb_cons]

theorem anyb_false {α : Type} (xs : List α) : anyb (fun _ => false) xs = false := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [anyb_cons, ih]
    rfl

theorem anyb_mapl {α β : Type} (p : β → Bool) (f : α → β) (xs : List α) : anyb p (mapl f xs) = anyb (compose p f) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, anyb_cons, anyb_cons, ih, compose_apply]

theorem anyb_orb {α : Type} (p q : α → Bool) (xs : List α) : anyb (fun x => orb (p x) (q x)) xs = orb (anyb p xs) (anyb q xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [anyb_cons, anyb_cons, anyb_cons, ih]
    cases p x <;> cases q x <;> cases anyb p xs <;> rfl

theorem notb_allb {α : Type} (p : α → Bool) (xs : List α) : notb (allb p xs) = anyb (fun x => notb (p x)) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [allb_cons, notb_andb, ih, anyb_cons]

theorem notb_anyb {α : Type} (p : α → Bool) (xs : List α) : notb (anyb p xs) = allb (fun x => notb (p x)) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [anyb_cons, notb_orb, ih, allb_cons]

theorem anyb_eq_notb_isNil_keep {α : Type} (p : α → Bool) (xs : List α) : anyb p xs = notb (isNil (keep p xs)) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => cases h : p x <;> simp [anyb, keep, orb, isNil, notb, h, ih]

theorem anyb_flat {α : Type} (p : α → Bool) (xss : List (List α)) : anyb p (flat xss) = anyb (anyb p) xss := by
  induction xss with
  | nil => rfl
  | cons xs xss ih => rw [flat_cons, anyb_app, ih, anyb_cons]

theorem allb_flat {α : Type} (p : α → Bool) (xss : List (List α)) : allb p (flat xss) = allb (allb p) xss := by
  induction xss with
  | nil => rfl
  | cons xs xss ih => rw [flat_cons, allb_app, ih, allb_cons]

theorem firstThat_nil {α : Type} (p : α → Bool) : firstThat p [] = none := by
  rfl

theorem firstThat_app {α : Type} (p : α → Bool) (xs ys : List α) : firstThat p (app xs ys) = firstOf (firstThat p xs) (firstThat p ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => cases h : p x <;> simp [app, firstThat, firstOf, h, ih]

theorem hasValue_firstThat {α : Type} (p : α → Bool) (xs : List α) : hasValue (firstThat p xs) = anyb p xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [anyb_cons, ← ih]
    cases h : p x <;> simp [firstThat, orb, hasValue_some, h]

theorem firstThat_true {α : Type} (d : α) (xs : List α) : fromMaybe d (firstThat (fun _ => true) xs) = firstOr d xs := by
  cases xs <;> rfl

theorem firstThat_satisfies {α : Type} (p : α → Bool) (x : α) (xs : List α) (h : firstThat p xs = some x) : p x = true := by
  induction xs with
  | nil => contradiction
  | cons y ys ih =>
    simp only [firstThat] at h
    split at h
    · simp_all
    · exact ih h

end Stp
