import Stp.NatList
/-! Functions that recurse on one or two arguments, with premises written as implications and proofs by the definitions. -/
namespace Stp

def addN : Nat → Nat → Nat
  | 0, b => b
  | a + 1, b => addN a b + 1

def mulN : Nat → Nat → Nat
  | 0, _ => 0
  | a + 1, b => addN b (mulN a b)

def sameList : List Nat → List Nat → Bool
  | [], [] => true
  | a :: as, b :: bs => andb (eqb a b) (sameList as bs)
  | _, _ => false

def startsWith : List Nat → List Nat → Bool
  | [], _ => true
  | _ :: _, [] => false
  | a :: as, b :: bs => andb (eqb a b) (startsWith as bs)

def shorter {α : Type} : List α → List α → Bool
  | [], [] => false
  | [], _ :: _ => true
  | _ :: _, [] => false
  | _ :: xs, _ :: ys => shorter xs ys

def stutter {α : Type} : List α → List α
  | [] => []
  | x :: xs => x :: x :: stutter xs

def between {α : Type} (s : α) : List α → List α
  | [] => []
  | x :: xs => x :: s :: between s xs

def replaceAll (a b : Nat) : List Nat → List Nat
  | [] => []
  | n :: ns => if eqb n a then b :: replaceAll a b ns else n :: replaceAll a b ns

def setAt {α : Type} (y : α) : Nat → List α → List α
  | _, [] => []
  | 0, _ :: xs => y :: xs
  | n + 1, x :: xs => x :: setAt y n xs

def pairwise (f : Nat → Nat → Nat) : List Nat → List Nat
  | [] => []
  | [n] => [n]
  | a :: b :: ns => f a b :: pairwise f ns

def smaller (n : Nat) : List Nat → List Nat
  | [] => []
  | m :: ms => if leb m n then m :: smaller n ms else smaller n ms

theorem addN_zero_right (a : Nat) : addN a 0 = a := by
  induction a with
  | zero => rfl
  | succ a ih => simp [addN, ih]

theorem addN_succ_right (a b : Nat) : addN a (b + 1) = addN a b + 1 := by
  induction a with
  | zero => rfl
  | succ a ih => simp [addN, ih]

theorem addN_eq_add (a b : Nat) : addN a b = a + b := by
  induction a with
  | zero => simp [addN]
  | succ a ih =>
    simp [addN, ih]
    omega

theorem addN_flip (a b : Nat) : addN a b = addN b a := by
  induction a with
  | zero => simp [addN, addN_zero_right]
  | succ a ih => simp [addN, addN_succ_right, ih]

theorem addN_regroup (a b c : Nat) : addN (addN a b) c = addN a (addN b c) := by
  induction a with
  | zero => rfl
  | succ a ih => simp [addN, ih]

theorem addN_self (a : Nat) : addN a a = double a := by
  induction a with
  | zero => rfl
  | succ a ih => simp [addN, double, addN_succ_right, ih]

theorem addN_eq_zero (a b : Nat) : addN a b = 0 → a = 0 := by
  intro h
  cases a with
  | zero => rfl
  | succ a => simp [addN] at h

theorem evenb_addN_self (a : Nat) : evenb (addN a a) = true := by
  rw [addN_self, evenb_double]

theorem isZero_addN (a b : Nat) : isZero (addN a b) = andb (isZero a) (isZero b) := by
  cases a <;> rfl

theorem eqb_addN (a b c : Nat) : eqb (addN a b) (addN a c) = eqb b c := by
  induction a with
  | zero => rfl
  | succ a ih => simp [addN, eqb, ih]

theorem mulN_zero_right (a : Nat) : mulN a 0 = 0 := by
  induction a with
  | zero => rfl
  | succ a ih => simp [mulN, addN, ih]

theorem mulN_one_left (b : Nat) : mulN 1 b = b := by
  simp [mulN, addN_zero_right]

theorem mulN_one_right (a : Nat) : mulN a 1 = a := by
  induction a with
  | zero => rfl
  | succ a ih => simp [mulN, addN, ih]

theorem mulN_eq_mul (a b : Nat) : mulN a b = a * b := by
  induction a with
  | zero => simp [mulN]
  | succ a ih =>
    simp [mulN, addN_eq_add, ih, Nat.succ_mul]
    omega

theorem mulN_two_left (b : Nat) : mulN 2 b = double b := by
  simp [mulN, addN_zero_right, addN_self]

theorem mulN_addN (a b c : Nat) : mulN (addN a b) c = addN (mulN a c) (mulN b c) := by
  induction a with
  | zero => rfl
  | succ a ih => simp [addN, mulN, ih, addN_regroup]

theorem sameList_self (ns : List Nat) : sameList ns ns = true := by
  induction ns with
  | nil => rfl
  | cons n ns ih => simp [sameList, eqb_self, ih, andb]

theorem sameList_flip (ms ns : List Nat) : sameList ms ns = sameList ns ms := by
  induction ms generalizing ns with
  | nil => cases ns <;> rfl
  | cons m ms ih =>
    cases ns with
    | nil => rfl
    | cons n ns => simp [sameList, eqb_comm m n, ih ns]

theorem sameList_eq (ms ns : List Nat) : sameList ms ns = true → ms = ns := by
  induction ms generalizing ns with
  | nil => cases ns <;> simp [sameList]
  | cons m ms ih =>
    cases ns with
    | nil => simp [sameList]
    | cons n ns =>
      intro h
      rw [sameList, andb_true_iff] at h
      rw [eqb_eq m n h.1, ih ns h.2]

theorem sameList_len (ms ns : List Nat) : sameList ms ns = true → len ms = len ns := by
  intro h
  rw [sameList_eq ms ns h]

theorem sameList_cons (n : Nat) (ms ns : List Nat) : sameList (n :: ms) (n :: ns) = sameList ms ns := by
  simp [sameList, eqb_self, andb]

theorem sameList_app (ks ms ns : List Nat) : sameList (app ks ms) (app ks ns) = sameList ms ns := by
  induction ks with
  | nil => rfl
  | cons k ks ih => simp [app, sameList_cons, ih]

theorem startsWith_nil (ns : List Nat) : startsWith [] ns = true := by
  rfl

theorem startsWith_self (ns : List Nat) : startsWith ns ns = true := by
  induction ns with
  | nil => rfl
  | cons n ns ih => simp [startsWith, eqb_self, ih, andb]

theorem startsWith_app (ms ns : List Nat) : startsWith ms (app ms ns) = true := by
  induction ms with
  | nil => rfl
  | cons m ms ih => simp [startsWith, app, eqb_self, ih, andb]

theorem startsWith_app_app (ks ms ns : List Nat) : startsWith (app ks ms) (app ks ns) = startsWith ms ns := by
  induction ks with
  | nil => rfl
  | cons k ks ih => simp [startsWith, app, eqb_self, ih, andb]

theorem startsWith_len (ms ns : List Nat) : startsWith ms ns = true → len ms ≤ len ns := by
  induction ms generalizing ns with
  | nil => simp [len]
  | cons m ms ih =>
    cases ns with
    | nil => simp [startsWith]
    | cons n ns =>
      intro h
      rw [startsWith, andb_true_iff] at h
      have := ih ns h.2
      simp [len]
      omega

theorem startsWith_trans (ks ms ns : List Nat) : startsWith ks ms = true → startsWith ms ns = true → startsWith ks ns = true := by
  induction ks generalizing ms ns with
  | nil => simp [startsWith]
  | cons k ks ih =>
    cases ms with
    | nil => simp [startsWith]
    | cons m ms =>
      cases ns with
      | nil => simp [startsWith]
      | cons n ns =>
        simp only [startsWith, andb_true_iff]
        intro h1 h2
        exact ⟨eqb_trans k m n h1.1 h2.1, ih ms ns h1.2 h2.2⟩

theorem shorter_self {α : Type} (xs : List α) : shorter xs xs = false := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [shorter, ih]

theorem shorter_cons {α : Type} (x : α) (xs : List α) : shorter xs (x :: xs) = true := by
  induction xs generalizing x with
  | nil => rfl
  | cons y ys ih => simp [shorter, ih]

theorem shorter_eq_ltb {α : Type} (xs ys : List α) : shorter xs ys = ltb (len xs) (len ys) := by
  induction xs generalizing ys with
  | nil => cases ys <;> rfl
  | cons x xs ih =>
    cases ys with
    | nil => rfl
    | cons y ys => simp [shorter, len, ltb_succ, ih]

theorem shorter_len {α : Type} (xs ys : List α) : shorter xs ys = true → len xs < len ys := by
  intro h
  rw [shorter_eq_ltb, ltb_true_iff] at h
  exact h

theorem shorter_flip {α : Type} (xs ys : List α) : shorter xs ys = true → shorter ys xs = false := by
  induction xs generalizing ys with
  | nil => cases ys <;> simp [shorter]
  | cons x xs ih => cases ys <;> simp_all [shorter]

theorem shorter_chain {α : Type} (xs ys zs : List α) : shorter xs ys = true → shorter ys zs = true → shorter xs zs = true := by
  intro h1 h2
  rw [shorter_eq_ltb, ltb_true_iff] at h1 h2
  rw [shorter_eq_ltb, ltb_true_iff]
  omega

theorem shorter_rev {α : Type} (xs ys : List α) : shorter (rev xs) (rev ys) = shorter xs ys := by
  rw [shorter_eq_ltb, shorter_eq_ltb, len_rev, len_rev]

theorem shorter_mapl {α β : Type} (f : α → β) (xs ys : List α) : shorter (mapl f xs) (mapl f ys) = shorter xs ys := by
  induction xs generalizing ys with
  | nil => cases ys <;> rfl
  | cons x xs ih => cases ys <;> simp [mapl, shorter, ih]

theorem stutter_app {α : Type} (xs ys : List α) : stutter (app xs ys) = app (stutter xs) (stutter ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [app, stutter, ih]

theorem len_stutter {α : Type} (xs : List α) : len (stutter xs) = double (len xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [stutter, len, double, ih]

theorem evenb_len_stutter {α : Type} (xs : List α) : evenb (len (stutter xs)) = true := by
  rw [len_stutter, evenb_double]

theorem mapl_stutter {α β : Type} (f : α → β) (xs : List α) : mapl f (stutter xs) = stutter (mapl f xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [mapl, stutter, ih]

theorem sumList_stutter (ns : List Nat) : sumList (stutter ns) = double (sumList ns) := by
  induction ns with
  | nil => rfl
  | cons n ns ih =>
    simp [stutter, sumList, ih, double_eq_add]
    omega

theorem stutter_copies {α : Type} (n : Nat) (x : α) : stutter (copies n x) = copies (double n) x := by
  induction n with
  | zero => rfl
  | succ n ih => simp [copies, stutter, double, ih]

theorem rev_stutter {α : Type} (xs : List α) : rev (stutter xs) = stutter (rev xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [stutter, rev, stutter_app, ih, app_singleton_app]

theorem member_stutter (n : Nat) (ns : List Nat) : member n (stutter ns) = member n ns := by
  induction ns with
  | nil => rfl
  | cons m ms ih => simp [stutter, member, ih, ← orb_assoc, orb_self]

theorem allb_stutter {α : Type} (p : α → Bool) (xs : List α) : allb p (stutter xs) = allb p xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [stutter, allb, ih, ← andb_assoc, andb_self]

theorem stutter_eq_nil {α : Type} (xs : List α) : stutter xs = [] → xs = [] := by
  cases xs <;> simp [stutter]

theorem stutter_inj {α : Type} (xs ys : List α) : stutter xs = stutter ys → xs = ys := by
  induction xs generalizing ys with
  | nil => cases ys <;> simp [stutter]
  | cons x xs ih =>
    cases ys with
    | nil => simp [stutter]
    | cons y ys =>
      simp only [stutter]
      intro h
      injection h with h1 h2
      injection h2 with h3 h4
      rw [h1, ih ys h4]

theorem len_between {α : Type} (s : α) (xs : List α) : len (between s xs) = double (len xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [between, len, double, ih]

theorem between_app {α : Type} (s : α) (xs ys : List α) : between s (app xs ys) = app (between s xs) (between s ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [app, between, ih]

theorem between_copies {α : Type} (n : Nat) (x : α) : between x (copies n x) = copies (double n) x := by
  induction n with
  | zero => rfl
  | succ n ih => simp [copies, between, double, ih]

theorem mapl_between {α β : Type} (f : α → β) (s : α) (xs : List α) : mapl f (between s xs) = between (f s) (mapl f xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [mapl, between, ih]

theorem sumList_between (s : Nat) (ns : List Nat) : sumList (between s ns) = sumList ns + s * len ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih =>
    simp [between, sumList, len, ih, Nat.mul_add]
    omega

theorem between_zero_sum (ns : List Nat) : sumList (between 0 ns) = sumList ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => simp [between, sumList, ih]

theorem len_replaceAll (a b : Nat) (ns : List Nat) : len (replaceAll a b ns) = len ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih =>
    simp only [replaceAll]
    split <;> simp [len, ih]

theorem replaceAll_self (a : Nat) (ns : List Nat) : replaceAll a a ns = ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih =>
    simp only [replaceAll]
    split
    · rename_i h
      rw [eqb_eq n a h, ih]
    · rw [ih]

theorem replaceAll_app (a b : Nat) (ms ns : List Nat) : replaceAll a b (app ms ns) = app (replaceAll a b ms) (replaceAll a b ns) := by
  induction ms with
  | nil => rfl
  | cons m ms ih =>
    simp only [app, replaceAll]
    split <;> simp [app, ih]

theorem replaceAll_copies (a b n : Nat) : replaceAll a b (copies n a) = copies n b := by
  induction n with
  | zero => rfl
  | succ n ih => simp [copies, replaceAll, eqb_self, ih]

theorem replaceAll_absent (a b : Nat) (ns : List Nat) : member a ns = false → replaceAll a b ns = ns := by
  induction ns with
  | nil => simp [replaceAll]
  | cons n ns ih =>
    intro h
    rw [member_cons, eqb_comm] at h
    cases hn : eqb n a <;> simp_all [orb, replaceAll]

theorem isNil_replaceAll (a b : Nat) (ns : List Nat) : isNil (replaceAll a b ns) = isNil ns := by
  cases ns with
  | nil => rfl
  | cons n ns =>
    simp only [replaceAll]
    split <;> rfl

theorem len_setAt {α : Type} (y : α) (n : Nat) (xs : List α) : len (setAt y n xs) = len xs := by
  induction n generalizing xs with
  | zero => cases xs <;> rfl
  | succ n ih => cases xs <;> simp [setAt, len, ih]

theorem setAt_setAt {α : Type} (y z : α) (n : Nat) (xs : List α) : setAt y n (setAt z n xs) = setAt y n xs := by
  induction n generalizing xs with
  | zero => cases xs <;> rfl
  | succ n ih => cases xs <;> simp [setAt, ih]

theorem mapl_setAt {α β : Type} (f : α → β) (y : α) (n : Nat) (xs : List α) : mapl f (setAt y n xs) = setAt (f y) n (mapl f xs) := by
  induction n generalizing xs with
  | zero => cases xs <;> rfl
  | succ n ih => cases xs <;> simp [setAt, mapl, ih]

theorem setAt_len {α : Type} (y : α) (xs : List α) : setAt y (len xs) xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [len, setAt, ih]

theorem setAt_copies {α : Type} (x : α) (k n : Nat) : setAt x k (copies n x) = copies n x := by
  induction n generalizing k with
  | zero => cases k <;> rfl
  | succ n ih => cases k <;> simp [copies, setAt, ih]

theorem setAt_app_len {α : Type} (y z : α) (xs ys : List α) : setAt y (len xs) (app xs (z :: ys)) = app xs (y :: ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [len, app, setAt, ih]

theorem isNil_setAt {α : Type} (y : α) (n : Nat) (xs : List α) : isNil (setAt y n xs) = isNil xs := by
  cases n <;> cases xs <;> rfl

theorem pairwise_add_sum (ns : List Nat) : sumList (pairwise addN ns) = sumList ns := by
  induction ns using pairwise.induct with
  | case1 => rfl
  | case2 n => rfl
  | case3 a b ns ih =>
    simp [pairwise, sumList, ih, addN_eq_add]
    omega

theorem len_pairwise_le (f : Nat → Nat → Nat) (ns : List Nat) : len (pairwise f ns) ≤ len ns := by
  induction ns using pairwise.induct with
  | case1 => simp [pairwise]
  | case2 n => simp [pairwise]
  | case3 a b ns ih =>
    simp [pairwise, len]
    omega

theorem pairwise_copies (n k : Nat) : pairwise addN (copies (double n) k) = copies n (double k) := by
  induction n with
  | zero => rfl
  | succ n ih => simp [double, copies, pairwise, addN_self, ih]

theorem pairwise_stutter (ns : List Nat) : pairwise addN (stutter ns) = mapl double ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => simp [stutter, pairwise, mapl, addN_self, ih]

theorem smaller_app (n : Nat) (ms ks : List Nat) : smaller n (app ms ks) = app (smaller n ms) (smaller n ks) := by
  induction ms with
  | nil => rfl
  | cons m ms ih =>
    simp only [app, smaller]
    split <;> simp [app, ih]

theorem len_smaller_le (n : Nat) (ms : List Nat) : len (smaller n ms) ≤ len ms := by
  induction ms with
  | nil => simp [smaller]
  | cons m ms ih =>
    simp only [smaller]
    split
    · simp [len, ih]
    · simp [len]
      omega

theorem smaller_smaller (n : Nat) (ms : List Nat) : smaller n (smaller n ms) = smaller n ms := by
  induction ms with
  | nil => rfl
  | cons m ms ih => cases h : leb m n <;> simp [smaller, h, ih]

theorem allb_smaller (n : Nat) (ms : List Nat) : allb (fun m => leb m n) (smaller n ms) = true := by
  induction ms with
  | nil => rfl
  | cons m ms ih => cases h : leb m n <;> simp [smaller, allb, andb, h, ih]

theorem smaller_copies (n k : Nat) : smaller n (copies k n) = copies k n := by
  induction k with
  | zero => rfl
  | succ k ih => simp [copies, smaller, le_leb, ih]

theorem sumList_smaller_le (n : Nat) (ms : List Nat) : sumList (smaller n ms) ≤ sumList ms := by
  induction ms with
  | nil => simp [smaller]
  | cons m ms ih =>
    simp only [smaller]
    split <;> simp [sumList] <;> omega

theorem smaller_eq_keep (n : Nat) (ms : List Nat) : smaller n ms = keep (fun m => leb m n) ms := by
  induction ms with
  | nil => rfl
  | cons m ms ih => simp [smaller, keep, ih]

theorem leb_maximum_left (a b : Nat) : leb a (maximum a b) = true := by
  rw [leb_true_iff]
  exact le_maximum_left a b

theorem eqb_then_same (f : Nat → Nat) (a b : Nat) : eqb a b = true → f a = f b := by
  intro h
  rw [eqb_eq a b h]

theorem len_eq_then_evenb {α : Type} (xs ys : List α) : len xs = len ys → evenb (len (app xs ys)) = true := by
  intro h
  rw [len_app, h, evenb_add_self]

theorem nil_then_app {α : Type} (xs ys : List α) : xs = [] → app xs ys = ys := by
  intro h
  rw [h, app_nil_left]

theorem nil_then_len {α : Type} (xs ys : List α) : ys = [] → len (app xs ys) = len xs := by
  intro h
  rw [h, app_nil]

theorem nonempty_then_len {α : Type} (xs : List α) : xs ≠ [] → len xs = len (rest xs) + 1 := by
  intro h
  cases xs with
  | nil => contradiction
  | cons x xs => rfl

theorem nonempty_then_isNil {α : Type} (xs : List α) : xs ≠ [] → isNil xs = false := by
  cases xs <;> simp [isNil]

theorem isNil_then_len {α : Type} (xs : List α) : isNil xs = true → len xs = 0 := by
  cases xs <;> simp [isNil, len]

theorem same_len_nil {α : Type} (xs : List α) : len xs = 0 → rev xs = xs := by
  cases xs <;> simp [len, rev]

theorem member_then_place (n m : Nat) (ns : List Nat) : member n ns = true → member n (m :: ns) = true := by
  intro h
  rw [member_cons, h, orb_true]

theorem member_then_nonempty (n : Nat) (ns : List Nat) : member n ns = true → isNil ns = false := by
  cases ns <;> simp [member, isNil]

theorem eqb_false_then_member (n m : Nat) : eqb n m = false → member n [m] = false := by
  simp [member, orb_false]

theorem eqb_false_then_replace (a b n : Nat) : eqb n a = false → replaceAll a b [n] = [n] := by
  simp_all [replaceAll]

theorem ltb_then_leb_succ (a b : Nat) : ltb a b = true → leb (a + 1) b = true := by
  simp [ltb]

theorem isZero_then_addN (a b : Nat) : isZero a = true → addN a b = b := by
  cases a <;> simp [isZero, addN]

theorem isZero_then_mulN (a b : Nat) : isZero a = true → mulN a b = 0 := by
  cases a <;> simp [isZero, mulN]

end Stp
