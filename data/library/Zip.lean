import Stp.NatList
/-! Two lists side by side; parts of a list by number or by test; looking up. -/
namespace Stp

def pairUp {α β : Type} : List α → List β → List (α × β)
  | x :: xs, y :: ys => (x, y) :: pairUp xs ys
  | _, _ => []

def combine {α β γ : Type} (f : α → β → γ) : List α → List β → List γ
  | x :: xs, y :: ys => f x y :: combine f xs ys
  | _, _ => []

def firsts {α β : Type} (ps : List (α × β)) : List α := mapl Prod.fst ps

def seconds {α β : Type} (ps : List (α × β)) : List β := mapl Prod.snd ps

def takeN {α : Type} : Nat → List α → List α
  | 0, _ => []
  | _ + 1, [] => []
  | n + 1, x :: xs => x :: takeN n xs

def dropN {α : Type} : Nat → List α → List α
  | 0, xs => xs
  | _ + 1, [] => []
  | n + 1, _ :: xs => dropN n xs

def at? {α : Type} : List α → Nat → Option α
  | [], _ => none
  | x :: _, 0 => some x
  | _ :: xs, n + 1 => at? xs n

def lookup {β : Type} (n : Nat) : List (Nat × β) → Option β
  | [] => none
  | p :: ps => if eqb n p.1 then some p.2 else lookup n ps

def keepWhile {α : Type} (p : α → Bool) : List α → List α
  | [] => []
  | x :: xs => if p x then x :: keepWhile p xs else []

theorem pairUp_nil_right {α β : Type} (xs : List α) : pairUp xs ([] : List β) = [] := by
  cases xs <;> rfl

theorem len_pairUp {α β : Type} (xs : List α) (ys : List β) : len (pairUp xs ys) = minimum (len xs) (len ys) := by
  induction xs generalizing ys with
  | nil => rw [len_nil, minimum_zero_left]; rfl
  | cons x xs ih =>
    cases ys with
    | nil => rw [pairUp_nil_right, len_nil, len_nil, minimum_zero_right]
    | cons y ys => rw [pairUp, len_cons, ih, len_cons, len_cons, minimum_succ]

theorem len_pairUp_self {α : Type} (xs : List α) : len (pairUp xs xs) = len xs := by
  rw [len_pairUp, minimum_self]

theorem len_pairUp_mapl {α β : Type} (f : α → β) (xs : List α) : len (pairUp xs (mapl f xs)) = len xs := by
  rw [len_pairUp, len_mapl, minimum_self]

theorem pairUp_self {α : Type} (xs : List α) : pairUp xs xs = mapl twin xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [pairUp, ih, mapl_cons, twin]

theorem pairUp_mapl_left {α β γ : Type} (f : α → γ) (xs : List α) (ys : List β) : pairUp (mapl f xs) ys = mapl (mapFirst f) (pairUp xs ys) := by
  induction xs generalizing ys with
  | nil => rfl
  | cons x xs ih =>
    cases ys with
    | nil => rfl
    | cons y ys => rw [mapl_cons, pairUp, ih, pairUp, mapl_cons, mapFirst]

theorem pairUp_swapPair {α β : Type} (xs : List α) (ys : List β) : mapl swapPair (pairUp xs ys) = pairUp ys xs := by
  induction xs generalizing ys with
  | nil => cases ys <;> rfl
  | cons x xs ih =>
    cases ys with
    | nil => rfl
    | cons y ys => rw [pairUp, mapl_cons, ih, pairUp, swapPair_mk]

theorem pairUp_copies {α β : Type} (n : Nat) (x : α) (y : β) : pairUp (copies n x) (copies n y) = copies n (x, y) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [copies_succ, copies_succ, pairUp, ih, copies_succ]

theorem combine_nil_right {α β γ : Type} (f : α → β → γ) (xs : List α) : combine f xs [] = [] := by
  cases xs <;> rfl

theorem combine_cons {α β γ : Type} (f : α → β → γ) (x : α) (y : β) (xs : List α) (ys : List β) : combine f (x :: xs) (y :: ys) = f x y :: combine f xs ys := by
  rfl

theorem combine_eq_mapl_pairUp {α β γ : Type} (f : α → β → γ) (xs : List α) (ys : List β) : combine f xs ys = mapl (uncurried f) (pairUp xs ys) := by
  induction xs generalizing ys with
  | nil => rfl
  | cons x xs ih =>
    cases ys with
    | nil => rfl
    | cons y ys => rw [combine_cons, ih, pairUp, mapl_cons, uncurried_mk]

theorem len_combine {α β γ : Type} (f : α → β → γ) (xs : List α) (ys : List β) : len (combine f xs ys) = minimum (len xs) (len ys) := by
  rw [combine_eq_mapl_pairUp, len_mapl, len_pairUp]

theorem combine_self {α γ : Type} (f : α → α → γ) (xs : List α) : combine f xs xs = mapl (fun x => f x x) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [combine_cons, ih, mapl_cons]

theorem combine_flip {α β γ : Type} (f : α → β → γ) (xs : List α) (ys : List β) : combine f xs ys = combine (fun y x => f x y) ys xs := by
  induction xs generalizing ys with
  | nil => cases ys <;> rfl
  | cons x xs ih =>
    cases ys with
    | nil => rfl
    | cons y ys => rw [combine_cons, ih, combine_cons]

theorem combine_add_comm (ms ns : List Nat) : combine (fun a b => a + b) ms ns = combine (fun a b => a + b) ns ms := by
  induction ms generalizing ns with
  | nil => cases ns <;> rfl
  | cons m ms ih =>
    cases ns with
    | nil => rfl
    | cons n ns => rw [combine_cons, ih, combine_cons, Nat.add_comm]

theorem combine_mul_comm (ms ns : List Nat) : combine (fun a b => a * b) ms ns = combine (fun a b => a * b) ns ms := by
  induction ms generalizing ns with
  | nil => cases ns <;> rfl
  | cons m ms ih =>
    cases ns with
    | nil => rfl
    | cons n ns => rw [combine_cons, ih, combine_cons, Nat.mul_comm]

theorem combine_add_self (ns : List Nat) : combine (fun a b => a + b) ns ns = mapl double ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [combine_cons, ih, mapl_cons, double_eq_add]

theorem combine_xorb_self (bs : List Bool) : combine xorb bs bs = copies (len bs) false := by
  induction bs with
  | nil => rfl
  | cons b bs ih => rw [combine_cons, ih, xorb_self, len_cons, copies_succ]

theorem combine_copies {α β γ : Type} (f : α → β → γ) (n : Nat) (x : α) (y : β) : combine f (copies n x) (copies n y) = copies n (f x y) := by
  rw [combine_eq_mapl_pairUp, pairUp_copies, mapl_copies, uncurried_mk]

theorem combine_first {α : Type} (xs : List α) : combine (fun x _ => x) xs xs = xs := by
  rw [combine_self, mapl_id]

theorem combine_mapl_left {α β γ δ : Type} (f : β → γ → δ) (g : α → β) (xs : List α) (ys : List γ) : combine f (mapl g xs) ys = combine (fun x y => f (g x) y) xs ys := by
  induction xs generalizing ys with
  | nil => rfl
  | cons x xs ih =>
    cases ys with
    | nil => rfl
    | cons y ys => rw [mapl_cons, combine_cons, ih, combine_cons]

theorem firsts_nil {α β : Type} : firsts ([] : List (α × β)) = [] := by
  rfl

theorem firsts_cons {α β : Type} (p : α × β) (ps : List (α × β)) : firsts (p :: ps) = p.1 :: firsts ps := by
  rfl

theorem seconds_cons {α β : Type} (p : α × β) (ps : List (α × β)) : seconds (p :: ps) = p.2 :: seconds ps := by
  rfl

theorem len_firsts {α β : Type} (ps : List (α × β)) : len (firsts ps) = len ps := by
  rw [firsts, len_mapl]

theorem len_seconds {α β : Type} (ps : List (α × β)) : len (seconds ps) = len ps := by
  rw [seconds, len_mapl]

theorem firsts_app {α β : Type} (ps qs : List (α × β)) : firsts (app ps qs) = app (firsts ps) (firsts qs) := by
  rw [firsts, mapl_app, firsts, firsts]

theorem firsts_rev {α β : Type} (ps : List (α × β)) : firsts (rev ps) = rev (firsts ps) := by
  rw [firsts, mapl_rev, firsts]

theorem seconds_app {α β : Type} (ps qs : List (α × β)) : seconds (app ps qs) = app (seconds ps) (seconds qs) := by
  rw [seconds, mapl_app, seconds, seconds]

theorem firsts_swapPair {α β : Type} (ps : List (α × β)) : firsts (mapl swapPair ps) = seconds ps := by
  induction ps with
  | nil => rfl
  | cons p ps ih => rw [mapl_cons, firsts_cons, ih, seconds_cons, swapPair_fst]

theorem seconds_swapPair {α β : Type} (ps : List (α × β)) : seconds (mapl swapPair ps) = firsts ps := by
  rw [← firsts_swapPair, mapl_swapPair_twice]

theorem pairUp_firsts_seconds {α β : Type} (ps : List (α × β)) : pairUp (firsts ps) (seconds ps) = ps := by
  induction ps with
  | nil => rfl
  | cons p ps ih => rw [firsts_cons, seconds_cons, pairUp, ih, pair_eta]

theorem firsts_pairUp_mapl {α β : Type} (f : α → β) (xs : List α) : firsts (pairUp xs (mapl f xs)) = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, pairUp, firsts_cons, ih]

theorem seconds_pairUp_mapl {α β : Type} (f : α → β) (xs : List α) : seconds (pairUp xs (mapl f xs)) = mapl f xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [mapl_cons, pairUp, seconds_cons, ih]

theorem takeN_nil {α : Type} (n : Nat) : takeN n ([] : List α) = [] := by
  cases n <;> rfl

theorem takeN_one {α : Type} (x : α) (xs : List α) : takeN 1 (x :: xs) = [x] := by
  rfl

theorem len_takeN {α : Type} (n : Nat) (xs : List α) : len (takeN n xs) = minimum n (len xs) := by
  induction n generalizing xs with
  | zero =>
    rw [minimum_zero_left]
    rfl
  | succ n ih =>
    cases xs with
    | nil =>
      rw [takeN_nil, len_nil, minimum_zero_right]
    | cons x xs =>
      rw [len_cons, minimum_succ, ← ih]
      rfl

theorem len_takeN_le {α : Type} (n : Nat) (xs : List α) : len (takeN n xs) ≤ n := by
  rw [len_takeN]
  exact minimum_le_left n (len xs)

theorem len_takeN_le_len {α : Type} (n : Nat) (xs : List α) : len (takeN n xs) ≤ len xs := by
  rw [len_takeN]
  exact minimum_le_right n (len xs)

theorem takeN_len {α : Type} (xs : List α) : takeN (len xs) xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [len_cons]
    simp [takeN, ih]

theorem takeN_len_app {α : Type} (xs ys : List α) : takeN (len xs) (app xs ys) = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [len_cons, app_cons]
    simp [takeN, ih]

theorem takeN_takeN {α : Type} (n : Nat) (xs : List α) : takeN n (takeN n xs) = takeN n xs := by
  induction n generalizing xs with
  | zero => rfl
  | succ n ih =>
    cases xs with
    | nil => rfl
    | cons x xs => simp [takeN, ih]

theorem takeN_copies {α : Type} (n k : Nat) (x : α) : takeN n (copies (n + k) x) = copies n x := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [Nat.succ_add]
    simp [copies, takeN, ih]

theorem dropN_nil {α : Type} (n : Nat) : dropN n ([] : List α) = [] := by
  cases n <;> rfl

theorem dropN_one {α : Type} (xs : List α) : dropN 1 xs = rest xs := by
  cases xs <;> rfl

theorem dropN_len {α : Type} (xs : List α) : dropN (len xs) xs = [] := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [len_cons]
    exact ih

theorem dropN_len_app {α : Type} (xs ys : List α) : dropN (len xs) (app xs ys) = ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [len_cons, app_cons]
    exact ih

theorem dropN_copies {α : Type} (n k : Nat) (x : α) : dropN n (copies (n + k) x) = copies k x := by
  induction n with
  | zero => rw [Nat.zero_add]; rfl
  | succ n ih =>
    rw [Nat.succ_add]
    exact ih

theorem dropN_rest {α : Type} (n : Nat) (xs : List α) : dropN n (rest xs) = dropN (n + 1) xs := by
  cases xs with
  | nil => exact dropN_nil n
  | cons x xs => rfl

theorem len_takeN_add_len_dropN {α : Type} (n : Nat) (xs : List α) : len (takeN n xs) + len (dropN n xs) = len xs := by
  induction n generalizing xs with
  | zero => simp [takeN, dropN, len]
  | succ n ih =>
    cases xs with
    | nil => rfl
    | cons x xs =>
      simp only [takeN, dropN, len]
      have := ih xs
      omega

theorem sumList_takeN_dropN (k : Nat) (ns : List Nat) : sumList (takeN k ns) + sumList (dropN k ns) = sumList ns := by
  induction k generalizing ns with
  | zero => simp [takeN, dropN, sumList]
  | succ k ih =>
    cases ns with
    | nil => rfl
    | cons n ns =>
      simp only [takeN, dropN, sumList]
      have := ih ns
      omega

theorem sumList_takeN_le (k : Nat) (ns : List Nat) : sumList (takeN k ns) ≤ sumList ns := by
  have := sumList_takeN_dropN k ns
  omega

theorem at_nil {α : Type} (n : Nat) : at? ([] : List α) n = none := by
  rfl

theorem at_cons_zero {α : Type} (x : α) (xs : List α) : at? (x :: xs) 0 = some x := by
  rfl

theorem at_cons_succ {α : Type} (x : α) (xs : List α) (n : Nat) : at? (x :: xs) (n + 1) = at? xs n := by
  rfl

theorem at_mapl {α β : Type} (f : α → β) (xs : List α) (n : Nat) : at? (mapl f xs) n = mapMaybe f (at? xs n) := by
  induction xs generalizing n with
  | nil => rfl
  | cons x xs ih =>
    cases n with
    | zero => rfl
    | succ n => rw [mapl_cons, at_cons_succ, ih, at_cons_succ]

theorem at_app_len {α : Type} (xs ys : List α) (y : α) : at? (app xs (y :: ys)) (len xs) = some y := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [app_cons, len_cons, at_cons_succ, ih]

theorem at_snoc_len {α : Type} (xs : List α) (y : α) : at? (snoc xs y) (len xs) = some y := by
  rw [snoc_eq_app, at_app_len]

theorem at_len {α : Type} (xs : List α) : at? xs (len xs) = none := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [len_cons, at_cons_succ, ih]

theorem hasValue_at {α : Type} (xs : List α) (n : Nat) : hasValue (at? xs n) = ltb n (len xs) := by
  induction xs generalizing n with
  | nil => rfl
  | cons x xs ih =>
    cases n with
    | zero => rfl
    | succ n => rw [at_cons_succ, ih, len_cons, ltb_succ]

theorem at_dropN {α : Type} (k n : Nat) (xs : List α) : at? (dropN k xs) n = at? xs (n + k) := by
  induction k generalizing xs with
  | zero => rfl
  | succ k ih =>
    cases xs with
    | nil => rfl
    | cons x xs => exact ih xs

theorem lookup_nil {β : Type} (n : Nat) : lookup n ([] : List (Nat × β)) = none := by
  rfl

theorem lookup_cons_same {β : Type} (n : Nat) (y : β) (ps : List (Nat × β)) : lookup n ((n, y) :: ps) = some y := by
  simp [lookup, eqb_self]

theorem lookup_cons_other {β : Type} (n : Nat) (p : Nat × β) (ps : List (Nat × β)) (h : eqb n p.1 = false) : lookup n (p :: ps) = lookup n ps := by
  simp [lookup, h]

theorem lookup_app {β : Type} (n : Nat) (ps qs : List (Nat × β)) : lookup n (app ps qs) = firstOf (lookup n ps) (lookup n qs) := by
  induction ps with
  | nil => rfl
  | cons p ps ih => cases h : eqb n p.1 <;> simp [app, lookup, firstOf, h, ih]

theorem lookup_mapSecond {β γ : Type} (f : β → γ) (n : Nat) (ps : List (Nat × β)) : lookup n (mapl (mapSecond f) ps) = mapMaybe f (lookup n ps) := by
  induction ps with
  | nil => rfl
  | cons p ps ih => cases h : eqb n p.1 <;> simp [mapl, mapSecond, lookup, mapMaybe, h, ih]

theorem hasValue_lookup {β : Type} (n : Nat) (ps : List (Nat × β)) : hasValue (lookup n ps) = member n (firsts ps) := by
  induction ps with
  | nil => rfl
  | cons p ps ih =>
    rw [firsts_cons, member_cons, ← ih]
    cases h : eqb n p.1 <;> simp [lookup, orb, hasValue_some, h]

theorem keepWhile_nil {α : Type} (p : α → Bool) : keepWhile p [] = [] := by
  rfl

theorem allb_keepWhile {α : Type} (p : α → Bool) (xs : List α) : allb p (keepWhile p xs) = true := by
  induction xs with
  | nil => rfl
  | cons x xs ih => cases h : p x <;> simp [keepWhile, allb, andb, h, ih]

theorem keepWhile_keepWhile {α : Type} (p : α → Bool) (xs : List α) : keepWhile p (keepWhile p xs) = keepWhile p xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => cases h : p x <;> simp [keepWhile, h, ih]

theorem len_keepWhile_le {α : Type} (p : α → Bool) (xs : List α) : len (keepWhile p xs) ≤ len xs := by
  induction xs with
  | nil => exact Nat.le_refl 0
  | cons x xs ih => cases h : p x <;> simp [keepWhile, len, h, ih]

theorem keepWhile_of_allb {α : Type} (p : α → Bool) (xs : List α) (h : allb p xs = true) : keepWhile p xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [allb_cons, andb_true_iff] at h
    simp [keepWhile, h.1, ih h.2]

theorem keepWhile_copies {α : Type} (p : α → Bool) (n : Nat) (x : α) (h : p x = true) : keepWhile p (copies n x) = copies n x := by
  rw [keepWhile_of_allb p (copies n x) (allb_copies p n x h)]

end Stp
