import Stp.Boolean
import Stp.Nat
/-! Doubling, halving, even and odd. -/
namespace Stp

def double : Nat → Nat
  | 0 => 0
  | n + 1 => double n + 2

def half : Nat → Nat
  | 0 => 0
  | 1 => 0
  | n + 2 => half n + 1

def evenb : Nat → Bool
  | 0 => true
  | n + 1 => notb (evenb n)

def oddb (n : Nat) : Bool := notb (evenb n)

theorem double_zero : double 0 = 0 := by
  rfl

theorem double_succ (n : Nat) : double (n + 1) = double n + 2 := by
  rfl

theorem double_eq_add (n : Nat) : double n = n + n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [double_succ, ih]
    omega

theorem double_eq_mul (n : Nat) : double n = 2 * n := by
  rw [double_eq_add]
  omega

theorem double_add (a b : Nat) : double (a + b) = double a + double b := by
  rw [double_eq_add, double_eq_add, double_eq_add]
  omega

theorem double_mul (a b : Nat) : double (a * b) = double a * b := by
  rw [double_eq_add, double_eq_add, Nat.add_mul]

theorem double_mul_right (a b : Nat) : double (a * b) = a * double b := by
  rw [Nat.mul_comm, double_mul, Nat.mul_comm]

theorem double_sub (a b : Nat) : double (a - b) = double a - double b := by
  rw [double_eq_add, double_eq_add, double_eq_add]
  omega

theorem double_inj (a b : Nat) (h : double a = double b) : a = b := by
  rw [double_eq_add, double_eq_add] at h
  omega

theorem double_eq_zero (n : Nat) (h : double n = 0) : n = 0 := by
  cases n with
  | zero => rfl
  | succ n => simp [double] at h

theorem double_le (a b : Nat) (h : a ≤ b) : double a ≤ double b := by
  rw [double_eq_add, double_eq_add]
  omega

theorem double_lt (a b : Nat) (h : a < b) : double a < double b := by
  rw [double_eq_add, double_eq_add]
  omega

theorem le_double (n : Nat) : n ≤ double n := by
  rw [double_eq_add]
  omega

theorem double_pos (n : Nat) (h : 0 < n) : 0 < double n := by
  have := le_double n
  omega

theorem double_ne_odd (a b : Nat) : double a ≠ double b + 1 := by
  rw [double_eq_add, double_eq_add]
  omega

theorem double_double (n : Nat) : double (double n) = 4 * n := by
  rw [double_eq_mul, double_eq_mul]
  omega

theorem square_double (n : Nat) : square (double n) = double (double (square n)) := by
  rw [square, square, ← double_mul, ← double_mul_right]

theorem double_square_succ (n : Nat) : square (n + 1) = square n + double n + 1 := by
  rw [square_succ, double_eq_add]
  omega

theorem distance_double (a b : Nat) : distance (double a) (double b) = double (distance a b) := by
  rw [distance, distance, ← double_sub, ← double_sub, double_add]

theorem half_zero : half 0 = 0 := by
  rfl

theorem half_succ_succ (n : Nat) : half (n + 2) = half n + 1 := by
  rfl

theorem half_double (n : Nat) : half (double n) = n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [double_succ, half_succ_succ, ih]

theorem half_double_succ (n : Nat) : half (double n + 1) = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [double_succ]
    show half (double n + 1) + 1 = n + 1
    rw [ih]

theorem half_add_self (n : Nat) : half (n + n) = n := by
  rw [← double_eq_add, half_double]

theorem half_mul_two (n : Nat) : half (n * 2) = n := by
  rw [mul_two_add, half_add_self]

theorem evenb_zero : evenb 0 = true := by
  rfl

theorem evenb_succ (n : Nat) : evenb (n + 1) = notb (evenb n) := by
  rfl

theorem evenb_succ_succ (n : Nat) : evenb (n + 2) = evenb n := by
  rw [evenb_succ, evenb_succ, notb_notb]

theorem evenb_double (n : Nat) : evenb (double n) = true := by
  induction n with
  | zero => rfl
  | succ n ih => rw [double_succ, evenb_succ_succ, ih]

theorem evenb_double_succ (n : Nat) : evenb (double n + 1) = false := by
  rw [evenb_succ, evenb_double]
  rfl

theorem evenb_add_self (n : Nat) : evenb (n + n) = true := by
  rw [← double_eq_add, evenb_double]

theorem evenb_add (a b : Nat) : evenb (a + b) = sameb (evenb a) (evenb b) := by
  induction a with
  | zero =>
    rw [Nat.zero_add]
    cases evenb b <;> rfl
  | succ a ih =>
    rw [Nat.succ_add, evenb_succ, ih, evenb_succ]
    cases evenb a <;> cases evenb b <;> rfl

theorem evenb_add_double (a b : Nat) : evenb (a + double b) = evenb a := by
  rw [evenb_add, evenb_double, sameb_true]

theorem evenb_mul_two (n : Nat) : evenb (n * 2) = true := by
  rw [mul_two_add, evenb_add_self]

theorem evenb_mul (a b : Nat) : evenb (a * b) = orb (evenb a) (evenb b) := by
  induction a with
  | zero =>
    rw [Nat.zero_mul]
    rfl
  | succ a ih =>
    rw [Nat.succ_mul, evenb_add, ih, evenb_succ]
    cases evenb a <;> cases evenb b <;> rfl

theorem evenb_square (n : Nat) : evenb (square n) = evenb n := by
  rw [square, evenb_mul, orb_self]

theorem evenb_mul_left (a b : Nat) (h : evenb a = true) : evenb (a * b) = true := by
  rw [evenb_mul, h]
  rfl

theorem evenb_mul_succ (n : Nat) : evenb (n * (n + 1)) = true := by
  rw [evenb_mul, evenb_succ, orb_notb]

theorem evenb_add_even (a b : Nat) (ha : evenb a = true) (hb : evenb b = true) : evenb (a + b) = true := by
  rw [evenb_add, ha, hb]
  rfl

theorem oddb_zero : oddb 0 = false := by
  rfl

theorem oddb_succ (n : Nat) : oddb (n + 1) = notb (oddb n) := by
  rfl

theorem oddb_succ_even (n : Nat) : oddb (n + 1) = evenb n := by
  rw [oddb, evenb_succ, notb_notb]

theorem oddb_succ_succ (n : Nat) : oddb (n + 2) = oddb n := by
  rw [oddb, oddb, evenb_succ_succ]

theorem oddb_double (n : Nat) : oddb (double n) = false := by
  rw [oddb, evenb_double]
  rfl

theorem oddb_double_succ (n : Nat) : oddb (double n + 1) = true := by
  rw [oddb_succ_even, evenb_double]

theorem oddb_add (a b : Nat) : oddb (a + b) = xorb (oddb a) (oddb b) := by
  rw [oddb, evenb_add, oddb, oddb, sameb, notb_notb, xorb_notb_notb]

theorem oddb_mul (a b : Nat) : oddb (a * b) = andb (oddb a) (oddb b) := by
  rw [oddb, evenb_mul, notb_orb, oddb, oddb]

theorem oddb_add_double (a b : Nat) : oddb (a + double b) = oddb a := by
  rw [oddb, oddb, evenb_add_double]

theorem oddb_square (n : Nat) : oddb (square n) = oddb n := by
  rw [oddb, oddb, evenb_square]

theorem even_or_odd (n : Nat) : orb (evenb n) (oddb n) = true := by
  rw [oddb, orb_notb]

theorem not_even_and_odd (n : Nat) : andb (evenb n) (oddb n) = false := by
  rw [oddb, andb_notb]

theorem evenb_notb_oddb (n : Nat) : evenb n = notb (oddb n) := by
  rw [oddb, notb_notb]

theorem half_even_or_odd (n : Nat) : n = double (half n) ∨ n = double (half n) + 1 := by
  induction n using half.induct with
  | case1 => exact Or.inl rfl
  | case2 => exact Or.inr rfl
  | case3 n ih =>
    rw [half_succ_succ, double_succ]
    omega

theorem half_add_half_succ (n : Nat) : half n + half (n + 1) = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [half_succ_succ]
    omega

theorem half_le (n : Nat) : half n ≤ n := by
  have := half_add_half_succ n
  omega

theorem half_le_half_succ (n : Nat) : half n ≤ half (n + 1) := by
  induction n using half.induct with
  | case1 => decide
  | case2 => decide
  | case3 n ih =>
    rw [half_succ_succ, half_succ_succ]
    omega

theorem double_half_le (n : Nat) : double (half n) ≤ n := by
  cases half_even_or_odd n with
  | inl h => omega
  | inr h => omega

theorem half_even (n : Nat) (h : evenb n = true) : double (half n) = n := by
  cases half_even_or_odd n with
  | inl he => omega
  | inr ho =>
    rw [ho, evenb_double_succ] at h
    contradiction

end Stp
