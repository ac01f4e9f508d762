import Stp.MapFilter
import Stp.Power
/-! Lists of numbers: sums, products, largest, membership, counting down and up, insertion in order. -/
namespace Stp

def sumList : List Nat → Nat
  | [] => 0
  | n :: ns => n + sumList ns

def prodList : List Nat → Nat
  | [] => 1
  | n :: ns => n * prodList ns

def maxList : List Nat → Nat
  | [] => 0
  | n :: ns => maximum n (maxList ns)

def member (n : Nat) : List Nat → Bool
  | [] => false
  | m :: ms => orb (eqb n m) (member n ms)

def occurs (n : Nat) (ns : List Nat) : Nat := countIf (eqb n) ns

def countdown : Nat → List Nat
  | 0 => []
  | n + 1 => (n + 1) :: countdown n

def upTo (n : Nat) : List Nat := rev (countdown n)

def place (n : Nat) : List Nat → List Nat
  | [] => [n]
  | m :: ms => if n ≤ m then n :: m :: ms else m :: place n ms

def arrange : List Nat → List Nat
  | [] => []
  | n :: ns => place n (arrange ns)

def ordered : List Nat → Bool
  | [] => true
  | [_] => true
  | a :: b :: ns => andb (leb a b) (ordered (b :: ns))

theorem sumList_nil : sumList [] = 0 := by
  rfl

theorem sumList_cons (n : Nat) (ns : List Nat) : sumList (n :: ns) = n + sumList ns := by
  rfl

theorem sumList_singleton (n : Nat) : sumList [n] = n := by
  rfl

theorem sumList_app (ms ns : List Nat) : sumList (app ms ns) = sumList ms + sumList ns := by
  induction ms with
  | nil => rw [app_nil_left, sumList_nil, Nat.zero_add]
  | cons m ms ih => rw [app_cons, sumList_cons, sumList_cons, ih, Nat.add_assoc]

theorem sumList_app_comm (ms ns : List Nat) : sumList (app ms ns) = sumList (app ns ms) := by
  rw [sumList_app, sumList_app, Nat.add_comm]

theorem sumList_app_self (ns : List Nat) : sumList (app ns ns) = double (sumList ns) := by
  rw [sumList_app, double_eq_add]

theorem sumList_rev (ns : List Nat) : sumList (rev ns) = sumList ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [rev_cons, sumList_app, ih, sumList_singleton, sumList_cons, Nat.add_comm]

theorem sumList_snoc (ns : List Nat) (n : Nat) : sumList (snoc ns n) = sumList ns + n := by
  rw [snoc_eq_app, sumList_app, sumList_singleton]

theorem sumList_revOnto (ms ns : List Nat) : sumList (revOnto ms ns) = sumList ms + sumList ns := by
  rw [revOnto_eq_app, sumList_app, sumList_rev]

theorem sumList_copies (k n : Nat) : sumList (copies k n) = k * n := by
  induction k with
  | zero => rw [copies_zero, sumList_nil, Nat.zero_mul]
  | succ k ih =>
    rw [copies_succ, sumList_cons, ih, Nat.succ_mul]
    omega

theorem sumList_copies_one (n : Nat) : sumList (copies n 1) = n := by
  rw [sumList_copies, Nat.mul_one]

theorem sumList_mapl_const {α : Type} (c : Nat) (xs : List α) : sumList (mapl (fun _ => c) xs) = len xs * c := by
  rw [mapl_const, sumList_copies]

theorem sumList_mapl_double (ns : List Nat) : sumList (mapl double ns) = double (sumList ns) := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [mapl_cons, sumList_cons, sumList_cons, ih, double_add]

theorem sumList_mapl_succ (ns : List Nat) : sumList (mapl (fun n => n + 1) ns) = sumList ns + len ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih =>
    rw [mapl_cons, sumList_cons, sumList_cons, ih, len_cons]
    omega

theorem sumList_mapl_mul (c : Nat) (ns : List Nat) : sumList (mapl (fun n => c * n) ns) = c * sumList ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [mapl_cons, sumList_cons, sumList_cons, ih, Nat.mul_add]

theorem sumList_mapl_add {α : Type} (f g : α → Nat) (xs : List α) : sumList (mapl (fun x => f x + g x) xs) = sumList (mapl f xs) + sumList (mapl g xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [mapl_cons, mapl_cons, mapl_cons, sumList_cons, sumList_cons, sumList_cons, ih]
    omega

theorem sumList_flat (nss : List (List Nat)) : sumList (flat nss) = sumList (mapl sumList nss) := by
  induction nss with
  | nil => rfl
  | cons ns nss ih => rw [flat_cons, sumList_app, ih, mapl_cons, sumList_cons]

theorem len_flat {α : Type} (xss : List (List α)) : len (flat xss) = sumList (mapl len xss) := by
  induction xss with
  | nil => rfl
  | cons xs xss ih => rw [flat_cons, len_app, ih, mapl_cons, sumList_cons]

theorem sumList_boolToNat {α : Type} (p : α → Bool) (xs : List α) : sumList (mapl (fun x => boolToNat (p x)) xs) = countIf p xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [mapl_cons, sumList_cons, ih]
    cases h : p x with
    | true => rw [countIf_cons_true p x xs h, boolToNat, Nat.add_comm]
    | false => rw [countIf_cons_false p x xs h, boolToNat, Nat.zero_add]

theorem sumList_eq_sum (ns : List Nat) : sumList ns = ns.sum := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [sumList_cons, ih, List.sum_cons]

theorem evenb_sumList_mapl_double (ns : List Nat) : evenb (sumList (mapl double ns)) = true := by
  rw [sumList_mapl_double, evenb_double]

theorem prodList_nil : prodList [] = 1 := by
  rfl

theorem prodList_cons (n : Nat) (ns : List Nat) : prodList (n :: ns) = n * prodList ns := by
  rfl

theorem prodList_singleton (n : Nat) : prodList [n] = n := by
  rw [prodList_cons, prodList_nil, Nat.mul_one]

theorem prodList_app (ms ns : List Nat) : prodList (app ms ns) = prodList ms * prodList ns := by
  induction ms with
  | nil => rw [app_nil_left, prodList_nil, Nat.one_mul]
  | cons m ms ih => rw [app_cons, prodList_cons, prodList_cons, ih, Nat.mul_assoc]

theorem prodList_app_comm (ms ns : List Nat) : prodList (app ms ns) = prodList (app ns ms) := by
  rw [prodList_app, prodList_app, Nat.mul_comm]

theorem prodList_app_self (ns : List Nat) : prodList (app ns ns) = square (prodList ns) := by
  rw [prodList_app, square]

theorem prodList_rev (ns : List Nat) : prodList (rev ns) = prodList ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [rev_cons, prodList_app, ih, prodList_singleton, prodList_cons, Nat.mul_comm]

theorem prodList_snoc (ns : List Nat) (n : Nat) : prodList (snoc ns n) = prodList ns * n := by
  rw [snoc_eq_app, prodList_app, prodList_singleton]

theorem prodList_copies (k n : Nat) : prodList (copies k n) = power n k := by
  induction k with
  | zero => rfl
  | succ k ih => rw [copies_succ, prodList_cons, ih, power_succ_left]

theorem prodList_mapl_square (ns : List Nat) : prodList (mapl square ns) = square (prodList ns) := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [mapl_cons, prodList_cons, prodList_cons, ih, square_mul]

theorem prodList_mapl_double (ns : List Nat) : prodList (mapl double ns) = power 2 (len ns) * prodList ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [mapl_cons, prodList_cons, prodList_cons, ih, len_cons, power_succ_left, double_eq_mul, mul_swap_inner]

theorem prodList_flat (nss : List (List Nat)) : prodList (flat nss) = prodList (mapl prodList nss) := by
  induction nss with
  | nil => rfl
  | cons ns nss ih => rw [flat_cons, prodList_app, ih, mapl_cons, prodList_cons]

theorem isZero_prodList (ns : List Nat) : isZero (prodList ns) = anyb isZero ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [prodList_cons, isZero_mul, ih, anyb_cons]

theorem isZero_sumList (ns : List Nat) : isZero (sumList ns) = allb isZero ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [sumList_cons, isZero_add, ih, allb_cons]

theorem evenb_prodList (ns : List Nat) : evenb (prodList ns) = anyb evenb ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [prodList_cons, evenb_mul, ih, anyb_cons]

theorem oddb_prodList (ns : List Nat) : oddb (prodList ns) = allb oddb ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [prodList_cons, oddb_mul, ih, allb_cons]

theorem maxList_nil : maxList [] = 0 := by
  rfl

theorem maxList_cons (n : Nat) (ns : List Nat) : maxList (n :: ns) = maximum n (maxList ns) := by
  rfl

theorem maxList_singleton (n : Nat) : maxList [n] = n := by
  rw [maxList_cons, maxList_nil, maximum_zero_right]

theorem first_le_maxList (n : Nat) (ns : List Nat) : n ≤ maxList (n :: ns) := by
  rw [maxList_cons]
  exact le_maximum_left n (maxList ns)

theorem rest_le_maxList (n : Nat) (ns : List Nat) : maxList ns ≤ maxList (n :: ns) := by
  rw [maxList_cons]
  exact le_maximum_right n (maxList ns)

theorem maxList_le_sumList (ns : List Nat) : maxList ns ≤ sumList ns := by
  induction ns with
  | nil => exact Nat.le_refl 0
  | cons n ns ih =>
    rw [maxList_cons, sumList_cons]
    apply maximum_le
    · omega
    · omega

theorem maxList_copies (k n : Nat) : maxList (copies (k + 1) n) = n := by
  induction k with
  | zero => exact maxList_singleton n
  | succ k ih => rw [copies_succ, maxList_cons, ih, maximum_self]

theorem maxList_mapl_succ (n : Nat) (ns : List Nat) : maxList (mapl (fun k => k + 1) (n :: ns)) = maxList (n :: ns) + 1 := by
  induction ns generalizing n with
  | nil => rw [mapl_cons, mapl_nil, maxList_singleton, maxList_singleton]
  | cons m ms ih => rw [mapl_cons, maxList_cons, ih, maxList_cons n, maximum_succ]

theorem sumList_le_len_mul_maxList (ns : List Nat) : sumList ns ≤ len ns * maxList ns := by
  induction ns with
  | nil => exact Nat.le_refl 0
  | cons n ns ih =>
    have h1 := first_le_maxList n ns
    have h2 := mul_le_left (len ns) (maxList ns) (maxList (n :: ns)) (rest_le_maxList n ns)
    rw [sumList_cons, len_cons, Nat.succ_mul]
    omega

theorem member_nil (n : Nat) : member n [] = false := by
  rfl

theorem member_cons (n m : Nat) (ms : List Nat) : member n (m :: ms) = orb (eqb n m) (member n ms) := by
  rfl

theorem member_cons_self (n : Nat) (ns : List Nat) : member n (n :: ns) = true := by
  rw [member_cons, eqb_self]
  rfl

theorem member_singleton (n m : Nat) : member n [m] = eqb n m := by
  rw [member_cons, member_nil, orb_false]

theorem member_eq_anyb (n : Nat) (ns : List Nat) : member n ns = anyb (eqb n) ns := by
  induction ns with
  | nil => rfl
  | cons m ms ih => rw [member_cons, ih, anyb_cons]

theorem member_app (n : Nat) (ms ns : List Nat) : member n (app ms ns) = orb (member n ms) (member n ns) := by
  rw [member_eq_anyb, anyb_app, member_eq_anyb, member_eq_anyb]

theorem member_app_comm (n : Nat) (ms ns : List Nat) : member n (app ms ns) = member n (app ns ms) := by
  rw [member_app, member_app, orb_comm]

theorem member_app_self (n : Nat) (ns : List Nat) : member n (app ns ns) = member n ns := by
  rw [member_app, orb_self]

theorem member_rev (n : Nat) (ns : List Nat) : member n (rev ns) = member n ns := by
  rw [member_eq_anyb, anyb_rev, member_eq_anyb]

theorem member_copies (n : Nat) (k : Nat) : member n (copies (k + 1) n) = true := by
  rw [copies_succ, member_cons_self]

theorem member_mapl_succ (n : Nat) (ns : List Nat) : member (n + 1) (mapl (fun k => k + 1) ns) = member n ns := by
  induction ns with
  | nil => rfl
  | cons m ms ih =>
    rw [mapl_cons, member_cons, ih]
    rfl

theorem member_mapl_double (n : Nat) (ns : List Nat) : member (double n) (mapl double ns) = member n ns := by
  induction ns with
  | nil => rfl
  | cons m ms ih => rw [mapl_cons, member_cons, ih, eqb_double, member_cons]

theorem member_zero_mapl_succ (ns : List Nat) : member 0 (mapl (fun k => k + 1) ns) = false := by
  induction ns with
  | nil => rfl
  | cons n ns ih =>
    rw [mapl_cons, member_cons, ih]
    rfl

theorem member_le_maxList (n : Nat) (ns : List Nat) (h : member n ns = true) : n ≤ maxList ns := by
  induction ns with
  | nil => contradiction
  | cons m ms ih =>
    rw [member_cons, orb_true_iff] at h
    cases h with
    | inl he =>
      rw [eqb_eq n m he]
      exact first_le_maxList m ms
    | inr hm => exact Nat.le_trans (ih hm) (rest_le_maxList m ms)

theorem member_le_sumList (n : Nat) (ns : List Nat) (h : member n ns = true) : n ≤ sumList ns := by
  exact Nat.le_trans (member_le_maxList n ns h) (maxList_le_sumList ns)

theorem occurs_nil (n : Nat) : occurs n [] = 0 := by
  rfl

theorem occurs_le_len (n : Nat) (ns : List Nat) : occurs n ns ≤ len ns := by
  exact countIf_le_len (eqb n) ns

theorem occurs_app_comm (n : Nat) (ms ns : List Nat) : occurs n (app ms ns) = occurs n (app ns ms) := by
  rw [occurs, countIf_app_comm, occurs]

theorem occurs_app_self (n : Nat) (ns : List Nat) : occurs n (app ns ns) = double (occurs n ns) := by
  rw [occurs, countIf_app_self, occurs]

theorem occurs_copies (k n : Nat) : occurs n (copies k n) = k := by
  induction k with
  | zero => rfl
  | succ k ih =>
    rw [occurs] at ih
    rw [copies_succ, occurs, countIf_cons_true (eqb n) n (copies k n) (eqb_self n), ih]

theorem occurs_copies_other (k m n : Nat) (h : eqb m n = false) : occurs m (copies k n) = 0 := by
  rw [occurs, countIf_eq_len_keep, keep_copies_false (eqb m) n h, len_nil]

theorem occurs_cons_other (m n : Nat) (ns : List Nat) (h : eqb m n = false) : occurs m (n :: ns) = occurs m ns := by
  rw [occurs, countIf_cons_false (eqb m) n ns h, occurs]

theorem countdown_zero : countdown 0 = [] := by
  rfl

theorem countdown_succ (n : Nat) : countdown (n + 1) = (n + 1) :: countdown n := by
  rfl

theorem len_countdown (n : Nat) : len (countdown n) = n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [countdown_succ, len_cons, ih]

theorem sumList_countdown (n : Nat) : sumList (countdown n) = sumTo n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [countdown_succ, sumList_cons, ih, sumTo_succ, Nat.add_comm]

theorem prodList_countdown (n : Nat) : prodList (countdown n) = factorial n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [countdown_succ, prodList_cons, ih, factorial_succ]

theorem maxList_countdown (n : Nat) : maxList (countdown n) = n := by
  cases n with
  | zero => rfl
  | succ n =>
    induction n with
    | zero => rfl
    | succ n ih =>
      rw [countdown_succ, maxList_cons, ih]
      simp [maximum]

theorem allb_leb_countdown (n : Nat) : allb (leb 1) (countdown n) = true := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [countdown_succ, allb_cons, ih]
    rfl

theorem sumList_double_countdown (n : Nat) : sumList (mapl double (countdown n)) = n * (n + 1) := by
  rw [sumList_mapl_double, sumList_countdown, double_sumTo]

theorem len_upTo (n : Nat) : len (upTo n) = n := by
  rw [upTo, len_rev, len_countdown]

theorem sumList_upTo (n : Nat) : sumList (upTo n) = sumTo n := by
  rw [upTo, sumList_rev, sumList_countdown]

theorem prodList_upTo (n : Nat) : prodList (upTo n) = factorial n := by
  rw [upTo, prodList_rev, prodList_countdown]

theorem upTo_succ (n : Nat) : upTo (n + 1) = snoc (upTo n) (n + 1) := by
  rw [upTo, countdown_succ, rev_cons_snoc, upTo]

theorem rev_upTo (n : Nat) : rev (upTo n) = countdown n := by
  rw [upTo, rev_rev]

theorem member_upTo (k n : Nat) : member k (upTo n) = member k (countdown n) := by
  rw [upTo, member_rev]

theorem member_self_upTo (n : Nat) : member (n + 1) (upTo (n + 1)) = true := by
  rw [member_upTo, countdown_succ, member_cons_self]

theorem place_nil (n : Nat) : place n [] = [n] := by
  rfl

theorem place_zero (ns : List Nat) : place 0 ns = 0 :: ns := by
  cases ns with
  | nil => rfl
  | cons m ms => simp [place]

theorem sumList_place (n : Nat) (ns : List Nat) : sumList (place n ns) = n + sumList ns := by
  induction ns with
  | nil => rfl
  | cons m ms ih =>
    simp only [place]
    split
    · rfl
    · rw [sumList_cons, ih, sumList_cons]
      omega

theorem prodList_place (n : Nat) (ns : List Nat) : prodList (place n ns) = n * prodList ns := by
  induction ns with
  | nil => rfl
  | cons m ms ih =>
    simp only [place]
    split
    · rfl
    · rw [prodList_cons, ih, prodList_cons, Nat.mul_left_comm]

theorem place_ne_nil (n : Nat) (ns : List Nat) : place n ns ≠ [] := by
  cases ns with
  | nil => simp [place]
  | cons m ms =>
    simp only [place]
    split <;> simp

theorem isNil_place (n : Nat) (ns : List Nat) : isNil (place n ns) = false := by
  cases ns with
  | nil => rfl
  | cons m ms =>
    simp only [place]
    split <;> rfl

theorem place_copies (k n : Nat) : place n (copies k n) = copies (k + 1) n := by
  cases k with
  | zero => rfl
  | succ k => simp [copies, place]

theorem allb_place (p : Nat → Bool) (n : Nat) (ns : List Nat) : allb p (place n ns) = andb (p n) (allb p ns) := by
  induction ns with
  | nil => rfl
  | cons m ms ih =>
    simp only [place]
    split
    · rfl
    · rw [allb_cons, ih, allb_cons, andb_left_comm]

theorem anyb_place (p : Nat → Bool) (n : Nat) (ns : List Nat) : anyb p (place n ns) = orb (p n) (anyb p ns) := by
  induction ns with
  | nil => rfl
  | cons m ms ih =>
    simp only [place]
    split
    · rfl
    · rw [anyb_cons, ih, anyb_cons, orb_left_comm]

theorem arrange_nil : arrange [] = [] := by
  rfl

theorem arrange_cons (n : Nat) (ns : List Nat) : arrange (n :: ns) = place n (arrange ns) := by
  rfl

theorem sumList_arrange (ns : List Nat) : sumList (arrange ns) = sumList ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [arrange_cons, sumList_place, ih, sumList_cons]

theorem prodList_arrange (ns : List Nat) : prodList (arrange ns) = prodList ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [arrange_cons, prodList_place, ih, prodList_cons]

theorem allb_arrange (p : Nat → Bool) (ns : List Nat) : allb p (arrange ns) = allb p ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [arrange_cons, allb_place, ih, allb_cons]

theorem anyb_arrange (p : Nat → Bool) (ns : List Nat) : anyb p (arrange ns) = anyb p ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [arrange_cons, anyb_place, ih, anyb_cons]

theorem member_arrange (k : Nat) (ns : List Nat) : member k (arrange ns) = member k ns := by
  rw [member_eq_anyb, anyb_arrange, member_eq_anyb]

theorem arrange_copies (k n : Nat) : arrange (copies k n) = copies k n := by
  induction k with
  | zero => rfl
  | succ k ih => rw [copies_succ, arrange_cons, ih, place_copies, copies_succ]

theorem isNil_arrange (ns : List Nat) : isNil (arrange ns) = isNil ns := by
  cases ns with
  | nil => rfl
  | cons n ns => rw [arrange_cons, isNil_place]; rfl

theorem arrange_zero (ns : List Nat) : arrange (0 :: ns) = 0 :: arrange ns := by
  rw [arrange_cons, place_zero]

theorem ordered_nil : ordered [] = true := by
  rfl

theorem ordered_singleton (n : Nat) : ordered [n] = true := by
  rfl

theorem ordered_cons_cons (a b : Nat) (ns : List Nat) : ordered (a :: b :: ns) = andb (leb a b) (ordered (b :: ns)) := by
  rfl

theorem ordered_zero (ns : List Nat) : ordered (0 :: ns) = ordered ns := by
  cases ns <;> rfl

theorem ordered_rest (n : Nat) (ns : List Nat) (h : ordered (n :: ns) = true) : ordered ns = true := by
  cases ns with
  | nil => rfl
  | cons m ms =>
    rw [ordered_cons_cons] at h
    exact andb_true_right (leb n m) (ordered (m :: ms)) h

theorem ordered_first (a b : Nat) (ns : List Nat) (h : ordered (a :: b :: ns) = true) : a ≤ b := by
  rw [ordered_cons_cons] at h
  exact leb_le a b (andb_true_left (leb a b) (ordered (b :: ns)) h)

theorem ordered_copies (k n : Nat) : ordered (copies k n) = true := by
  induction k with
  | zero => rfl
  | succ k ih =>
    cases k with
    | zero => rfl
    | succ k =>
      rw [copies_succ] at ih
      rw [copies_succ, copies_succ, ordered_cons_cons, ih, le_leb n n (Nat.le_refl n)]
      rfl

theorem ordered_mapl_double (ns : List Nat) : ordered (mapl double ns) = ordered ns := by
  induction ns with
  | nil => rfl
  | cons a ns ih =>
    cases ns with
    | nil => rfl
    | cons b ns =>
      rw [mapl_cons] at ih
      rw [mapl_cons, mapl_cons, ordered_cons_cons, ih, leb_double, ordered_cons_cons]

theorem ordered_place_first (a b : Nat) (ns : List Nat) (h : a ≤ b) : place a (b :: ns) = a :: b :: ns := by
  simp [place, h]

theorem arrange_ordered (ns : List Nat) (h : ordered ns = true) : arrange ns = ns := by
  induction ns with
  | nil => rfl
  | cons a ns ih =>
    rw [arrange_cons, ih (ordered_rest a ns h)]
    cases ns with
    | nil => rfl
    | cons b ns => rw [ordered_place_first a b ns (ordered_first a b ns h)]

end Stp
