import Stp.NatList
/-! Folds from the right and from the left, running totals. -/
namespace Stp

def foldRight {α β : Type} (f : α → β → β) (b : β) : List α → β
  | [] => b
  | x :: xs => f x (foldRight f b xs)

def foldLeft {α β : Type} (f : β → α → β) : β → List α → β
  | b, [] => b
  | b, x :: xs => foldLeft f (f b x) xs

def totals : Nat → List Nat → List Nat
  | t, [] => [t]
  | t, n :: ns => t :: totals (t + n) ns

def lenOnto {α : Type} : List α → Nat → Nat
  | [], k => k
  | _ :: xs, k => lenOnto xs (k + 1)

theorem foldRight_nil {α β : Type} (f : α → β → β) (b : β) : foldRight f b [] = b := by
  rfl

theorem foldRight_cons {α β : Type} (f : α → β → β) (b : β) (x : α) (xs : List α) : foldRight f b (x :: xs) = f x (foldRight f b xs) := by
  rfl

theorem foldRight_app {α β : Type} (f : α → β → β) (b : β) (xs ys : List α) : foldRight f b (app xs ys) = foldRight f (foldRight f b ys) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [app_cons, foldRight_cons, ih, foldRight_cons]

theorem foldRight_snoc {α β : Type} (f : α → β → β) (b : β) (xs : List α) (y : α) : foldRight f b (snoc xs y) = foldRight f (f y b) xs := by
  rw [snoc_eq_app, foldRight_app, foldRight_cons, foldRight_nil]

theorem foldRight_mapl {α β γ : Type} (f : β → γ → γ) (g : α → β) (c : γ) (xs : List α) : foldRight f c (mapl g xs) = foldRight (compose f g) c xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, foldRight_cons, ih, foldRight_cons, compose_apply]

theorem foldRight_cons_nil {α : Type} (xs : List α) : foldRight (fun x ys => x :: ys) [] xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [foldRight_cons, ih]

theorem foldRight_cons_app {α : Type} (xs ys : List α) : foldRight (fun x zs => x :: zs) ys xs = app xs ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [foldRight_cons, ih, app_cons]

theorem foldRight_add (ns : List Nat) : foldRight (fun a b => a + b) 0 ns = sumList ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [foldRight_cons, ih, sumList_cons]

theorem foldRight_add_start (k : Nat) (ns : List Nat) : foldRight (fun a b => a + b) k ns = sumList ns + k := by
  induction ns with
  | nil => rw [foldRight_nil, sumList_nil, Nat.zero_add]
  | cons n ns ih =>
    rw [foldRight_cons, ih, sumList_cons]
    omega

theorem foldRight_mul (ns : List Nat) : foldRight (fun a b => a * b) 1 ns = prodList ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [foldRight_cons, ih, prodList_cons]

theorem foldRight_andb (bs : List Bool) : foldRight andb true bs = allb (fun b => b) bs := by
  induction bs with
  | nil => rfl
  | cons b bs ih => rw [foldRight_cons, ih, allb_cons]

theorem foldRight_orb (bs : List Bool) : foldRight orb false bs = anyb (fun b => b) bs := by
  induction bs with
  | nil => rfl
  | cons b bs ih => rw [foldRight_cons, ih, anyb_cons]

theorem foldRight_count {α : Type} (xs : List α) : foldRight (fun _ k => k + 1) 0 xs = len xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [foldRight_cons, ih, len_cons]

theorem foldRight_maximum (ns : List Nat) : foldRight maximum 0 ns = maxList ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [foldRight_cons, ih, maxList_cons]

theorem foldRight_place (ns : List Nat) : foldRight place [] ns = arrange ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [foldRight_cons, ih, arrange_cons]

theorem foldRight_copies {α β : Type} (f : α → β → β) (b : β) (n : Nat) (x : α) : foldRight f b (copies n x) = repeatFn (f x) n b := by
  induction n with
  | zero => rfl
  | succ n ih => rw [copies_succ, foldRight_cons, ih, repeatFn_succ]

theorem foldRight_keep_other {α β : Type} (b : β) (xs : List α) : foldRight (fun _ c => c) b xs = b := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [foldRight_cons, ih]

theorem foldLeft_nil {α β : Type} (f : β → α → β) (b : β) : foldLeft f b [] = b := by
  rfl

theorem foldLeft_cons {α β : Type} (f : β → α → β) (b : β) (x : α) (xs : List α) : foldLeft f b (x :: xs) = foldLeft f (f b x) xs := by
  rfl

theorem foldLeft_app {α β : Type} (f : β → α → β) (b : β) (xs ys : List α) : foldLeft f b (app xs ys) = foldLeft f (foldLeft f b xs) ys := by
  induction xs generalizing b with
  | nil => rfl
  | cons x xs ih => rw [app_cons, foldLeft_cons, ih, foldLeft_cons]

theorem foldLeft_snoc {α β : Type} (f : β → α → β) (b : β) (xs : List α) (y : α) : foldLeft f b (snoc xs y) = f (foldLeft f b xs) y := by
  rw [snoc_eq_app, foldLeft_app, foldLeft_cons, foldLeft_nil]

theorem foldLeft_rev {α β : Type} (f : β → α → β) (b : β) (xs : List α) : foldLeft f b (rev xs) = foldRight (fun x c => f c x) b xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [rev_cons_snoc, foldLeft_snoc, ih, foldRight_cons]

theorem foldRight_rev {α β : Type} (f : α → β → β) (b : β) (xs : List α) : foldRight f b (rev xs) = foldLeft (fun c x => f x c) b xs := by
  induction xs generalizing b with
  | nil => rfl
  | cons x xs ih => rw [rev_cons_snoc, foldRight_snoc, ih, foldLeft_cons]

theorem foldLeft_add (k : Nat) (ns : List Nat) : foldLeft (fun a b => a + b) k ns = k + sumList ns := by
  induction ns generalizing k with
  | nil => rfl
  | cons n ns ih => rw [foldLeft_cons, ih, sumList_cons, Nat.add_assoc]

theorem foldLeft_add_zero (ns : List Nat) : foldLeft (fun a b => a + b) 0 ns = sumList ns := by
  rw [foldLeft_add, Nat.zero_add]

theorem foldLeft_mul (k : Nat) (ns : List Nat) : foldLeft (fun a b => a * b) k ns = k * prodList ns := by
  induction ns generalizing k with
  | nil => rw [foldLeft_nil, prodList_nil, Nat.mul_one]
  | cons n ns ih => rw [foldLeft_cons, ih, prodList_cons, Nat.mul_assoc]

theorem foldLeft_mul_one (ns : List Nat) : foldLeft (fun a b => a * b) 1 ns = prodList ns := by
  rw [foldLeft_mul, Nat.one_mul]

theorem foldLeft_flip_cons {α : Type} (xs ys : List α) : foldLeft (fun zs x => x :: zs) ys xs = revOnto xs ys := by
  induction xs generalizing ys with
  | nil => rfl
  | cons x xs ih => rw [foldLeft_cons, ih, revOnto_cons]

theorem foldLeft_flip_cons_nil {α : Type} (xs : List α) : foldLeft (fun zs x => x :: zs) [] xs = rev xs := by
  rw [foldLeft_flip_cons, revOnto_eq_rev]

theorem foldLeft_count {α : Type} (k : Nat) (xs : List α) : foldLeft (fun c _ => c + 1) k xs = k + len xs := by
  induction xs generalizing k with
  | nil => rfl
  | cons x xs ih =>
    rw [foldLeft_cons, ih, len_cons]
    omega

theorem foldLeft_mapl {α β γ : Type} (f : γ → β → γ) (g : α → β) (c : γ) (xs : List α) : foldLeft f c (mapl g xs) = foldLeft (fun d x => f d (g x)) c xs := by
  induction xs generalizing c with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, foldLeft_cons, ih, foldLeft_cons]

theorem foldLeft_snoc_list {α : Type} (xs ys : List α) : foldLeft snoc ys xs = app ys xs := by
  induction xs generalizing ys with
  | nil => rw [foldLeft_nil, app_nil]
  | cons x xs ih => rw [foldLeft_cons, ih, app_snoc_left]

theorem foldLeft_xorb (b : Bool) (bs : List Bool) : foldLeft xorb b bs = xorb b (foldLeft xorb false bs) := by
  induction bs generalizing b with
  | nil => rw [foldLeft_nil, foldLeft_nil, xorb_false]
  | cons c bs ih =>
    rw [foldLeft_cons, ih, foldLeft_cons, ih (xorb false c), ← xorb_assoc]
    rfl

theorem totals_nil (t : Nat) : totals t [] = [t] := by
  rfl

theorem totals_cons (t n : Nat) (ns : List Nat) : totals t (n :: ns) = t :: totals (t + n) ns := by
  rfl

theorem len_totals (t : Nat) (ns : List Nat) : len (totals t ns) = len ns + 1 := by
  induction ns generalizing t with
  | nil => rfl
  | cons n ns ih => rw [totals_cons, len_cons, ih, len_cons]

theorem firstOr_totals (d t : Nat) (ns : List Nat) : firstOr d (totals t ns) = t := by
  cases ns <;> rfl

theorem isNil_totals (t : Nat) (ns : List Nat) : isNil (totals t ns) = false := by
  cases ns <;> rfl

theorem firstOr_rev_totals (d t : Nat) (ns : List Nat) : firstOr d (rev (totals t ns)) = t + sumList ns := by
  induction ns generalizing t d with
  | nil => rfl
  | cons n ns ih => rw [totals_cons, rev_cons, firstOr_app, ih, sumList_cons, Nat.add_assoc]

theorem totals_copies_zero (t k : Nat) : totals t (copies k 0) = copies (k + 1) t := by
  induction k with
  | zero => rfl
  | succ k ih => rw [copies_succ, totals_cons, Nat.add_zero, ih, copies_succ (k + 1)]

theorem mapl_succ_totals (t : Nat) (ns : List Nat) : mapl (fun k => k + 1) (totals t ns) = totals (t + 1) ns := by
  induction ns generalizing t with
  | nil => rfl
  | cons n ns ih => rw [totals_cons, mapl_cons, ih, totals_cons, Nat.add_right_comm]

theorem mapl_double_totals (t : Nat) (ns : List Nat) : mapl double (totals t ns) = totals (double t) (mapl double ns) := by
  induction ns generalizing t with
  | nil => rfl
  | cons n ns ih => rw [totals_cons, mapl_cons, ih, mapl_cons, totals_cons, double_add]

theorem lenOnto_nil {α : Type} (k : Nat) : lenOnto ([] : List α) k = k := by
  rfl

theorem lenOnto_cons {α : Type} (x : α) (xs : List α) (k : Nat) : lenOnto (x :: xs) k = lenOnto xs (k + 1) := by
  rfl

theorem lenOnto_eq {α : Type} (xs : List α) (k : Nat) : lenOnto xs k = len xs + k := by
  induction xs generalizing k with
  | nil => rw [lenOnto_nil, len_nil, Nat.zero_add]
  | cons x xs ih =>
    rw [lenOnto_cons, ih, len_cons]
    omega

theorem lenOnto_zero {α : Type} (xs : List α) : lenOnto xs 0 = len xs := by
  rw [lenOnto_eq, Nat.add_zero]

theorem lenOnto_app {α : Type} (xs ys : List α) (k : Nat) : lenOnto (app xs ys) k = lenOnto xs (lenOnto ys k) := by
  rw [lenOnto_eq, lenOnto_eq, lenOnto_eq, len_app, Nat.add_assoc]

theorem lenOnto_rev {α : Type} (xs : List α) (k : Nat) : lenOnto (rev xs) k = lenOnto xs k := by
  rw [lenOnto_eq, lenOnto_eq, len_rev]

end Stp
