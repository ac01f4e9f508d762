import Stp.Double
/-! Powers, factorials, triangular numbers and sums, all by recursion. -/
namespace Stp

def power (a : Nat) : Nat → Nat
  | 0 => 1
  | n + 1 => power a n * a

def factorial : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * factorial n

def sumTo : Nat → Nat
  | 0 => 0
  | n + 1 => sumTo n + (n + 1)

def sumOdd : Nat → Nat
  | 0 => 0
  | n + 1 => sumOdd n + (double n + 1)

def sumBelow (f : Nat → Nat) : Nat → Nat
  | 0 => 0
  | n + 1 => sumBelow f n + f n

def repeatFn {α : Type} (f : α → α) : Nat → α → α
  | 0, x => x
  | n + 1, x => f (repeatFn f n x)

theorem power_zero (a : Nat) : power a 0 = 1 := by
  rfl

theorem power_succ (a n : Nat) : power a (n + 1) = power a n * a := by
  rfl

theorem power_succ_left (a n : Nat) : power a (n + 1) = a * power a n := by
  rw [power_succ, Nat.mul_comm]

theorem power_one_right (a : Nat) : power a 1 = a := by
  simp [power]

theorem power_two_right (a : Nat) : power a 2 = square a := by
  rw [power_succ, power_one_right, square]

theorem power_three_right (a : Nat) : power a 3 = square a * a := by
  rw [power_succ, power_two_right]

theorem power_base_two (n : Nat) : power 2 (n + 1) = double (power 2 n) := by
  rw [power_succ, double_eq_mul, Nat.mul_comm]

theorem power_add_one_base (n : Nat) : power (1 + 1) n = power 2 n := by
  rfl

theorem power_double_exponent (a n : Nat) : power a (double n) = square (power a n) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [double_succ, power_succ, power_succ, power_succ, ih, square_mul, square, square, Nat.mul_assoc]

theorem power_square_base (a n : Nat) : power (square a) n = square (power a n) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [power_succ, power_succ, ih, square_mul]

theorem power_square_double (a n : Nat) : power (square a) n = power a (double n) := by
  rw [power_square_base, power_double_exponent]

theorem power_add_two_exponent (a n : Nat) : power a (n + 2) = power a n * square a := by
  rw [power_succ, power_succ, square, Nat.mul_assoc]

theorem power_pos (a n : Nat) (h : 0 < a) : 0 < power a n := by
  induction n with
  | zero => exact Nat.one_pos
  | succ n ih =>
    rw [power_succ]
    exact mul_pos_both (power a n) a ih h

theorem power_base_le (a b n : Nat) (h : a ≤ b) : power a n ≤ power b n := by
  induction n with
  | zero => exact Nat.le_refl 1
  | succ n ih =>
    rw [power_succ, power_succ]
    exact mul_le_both (power a n) (power b n) a b ih h

theorem power_le_succ (a n : Nat) (h : 0 < a) : power a n ≤ power a (n + 1) := by
  rw [power_succ]
  exact Nat.le_mul_of_pos_right (power a n) h

theorem lt_power_two (n : Nat) : n < power 2 n := by
  induction n with
  | zero => decide
  | succ n ih =>
    rw [power_base_two, double_eq_add]
    omega

theorem power_two_pos (n : Nat) : 0 < power 2 n := by
  exact power_pos 2 n (by decide)

theorem power_two_add_self (n : Nat) : power 2 n + power 2 n = power 2 (n + 1) := by
  rw [power_base_two, double_eq_add]

theorem evenb_power_two (n : Nat) : evenb (power 2 (n + 1)) = true := by
  rw [power_base_two, evenb_double]

theorem evenb_power_succ (a n : Nat) : evenb (power a (n + 1)) = evenb a := by
  induction n with
  | zero => rw [power_one_right]
  | succ n ih => rw [power_succ, evenb_mul, ih, orb_self]

theorem oddb_power (a n : Nat) (h : oddb a = true) : oddb (power a n) = true := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [power_succ, oddb_mul, ih, h]
    rfl

theorem factorial_zero : factorial 0 = 1 := by
  rfl

theorem factorial_succ (n : Nat) : factorial (n + 1) = (n + 1) * factorial n := by
  rfl

theorem factorial_one : factorial 1 = 1 := by
  rfl

theorem factorial_succ_right (n : Nat) : factorial (n + 1) = factorial n * (n + 1) := by
  rw [factorial_succ, Nat.mul_comm]

theorem factorial_pos (n : Nat) : 0 < factorial n := by
  induction n with
  | zero => decide
  | succ n ih =>
    rw [factorial_succ]
    exact mul_pos_both (n + 1) (factorial n) (by omega) ih

theorem factorial_le_succ (n : Nat) : factorial n ≤ factorial (n + 1) := by
  rw [factorial_succ_right]
  exact Nat.le_mul_of_pos_right (factorial n) (by omega)

theorem le_factorial (n : Nat) : n ≤ factorial n := by
  cases n with
  | zero => decide
  | succ n =>
    rw [factorial_succ]
    exact Nat.le_mul_of_pos_right (n + 1) (factorial_pos n)

theorem factorial_step_sum (n : Nat) : factorial n + n * factorial n = factorial (n + 1) := by
  rw [factorial_succ, Nat.succ_mul]
  omega

theorem factorial_two_add (n : Nat) : factorial (n + 2) = (n + 2) * ((n + 1) * factorial n) := by
  rw [factorial_succ, factorial_succ]

theorem evenb_factorial (n : Nat) : evenb (factorial (n + 2)) = true := by
  rw [factorial_two_add, ← Nat.mul_assoc, Nat.mul_comm (n + 2), evenb_mul_left]
  rw [evenb_mul_succ (n + 1)]

theorem sumTo_zero : sumTo 0 = 0 := by
  rfl

theorem sumTo_succ (n : Nat) : sumTo (n + 1) = sumTo n + (n + 1) := by
  rfl

theorem double_sumTo (n : Nat) : double (sumTo n) = n * (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumTo_succ, double_add, ih, double_eq_mul, ← Nat.add_mul, Nat.mul_comm]

theorem sumTo_eq_half (n : Nat) : sumTo n = half (n * (n + 1)) := by
  rw [← double_sumTo, half_double]

theorem le_sumTo (n : Nat) : n ≤ sumTo n := by
  cases n with
  | zero => decide
  | succ n =>
    rw [sumTo_succ]
    omega

theorem sumTo_le_succ (n : Nat) : sumTo n ≤ sumTo (n + 1) := by
  rw [sumTo_succ]
  omega

theorem sumTo_add_sumTo_succ (n : Nat) : sumTo n + sumTo (n + 1) = square (n + 1) := by
  rw [sumTo_succ, ← Nat.add_assoc, ← double_eq_add, double_sumTo, square, Nat.succ_mul]

theorem sumTo_le_square (n : Nat) : sumTo n ≤ square n := by
  induction n with
  | zero => decide
  | succ n ih =>
    rw [sumTo_succ, square_succ]
    omega

theorem sumOdd_zero : sumOdd 0 = 0 := by
  rfl

theorem sumOdd_succ (n : Nat) : sumOdd (n + 1) = sumOdd n + (double n + 1) := by
  rfl

theorem sumOdd_eq_square (n : Nat) : sumOdd n = square n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumOdd_succ, ih, double_square_succ]
    omega

theorem sumOdd_add_self (n : Nat) : sumOdd n + n = double (sumTo n) := by
  rw [sumOdd_eq_square, double_sumTo, square, Nat.mul_add, Nat.mul_one]

theorem sumBelow_zero (f : Nat → Nat) : sumBelow f 0 = 0 := by
  rfl

theorem sumBelow_succ (f : Nat → Nat) (n : Nat) : sumBelow f (n + 1) = sumBelow f n + f n := by
  rfl

theorem sumBelow_const (c n : Nat) : sumBelow (fun _ => c) n = n * c := by
  induction n with
  | zero => simp [sumBelow]
  | succ n ih => rw [sumBelow_succ, ih, Nat.succ_mul]

theorem sumBelow_add (f g : Nat → Nat) (n : Nat) : sumBelow (fun i => f i + g i) n = sumBelow f n + sumBelow g n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumBelow_succ, sumBelow_succ, sumBelow_succ, ih]
    omega

theorem sumBelow_mul (c : Nat) (f : Nat → Nat) (n : Nat) : sumBelow (fun i => c * f i) n = c * sumBelow f n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [sumBelow_succ, sumBelow_succ, ih, Nat.mul_add]

theorem sumBelow_double (f : Nat → Nat) (n : Nat) : sumBelow (fun i => double (f i)) n = double (sumBelow f n) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [sumBelow_succ, sumBelow_succ, ih, double_add]

theorem sumBelow_id (n : Nat) : sumBelow (fun i => i) (n + 1) = sumTo n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [sumBelow_succ, ih, sumTo_succ]

theorem sumBelow_odd (n : Nat) : sumBelow (fun i => double i + 1) n = square n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumBelow_succ, ih, double_square_succ]
    omega

theorem sumBelow_power_two (n : Nat) : sumBelow (power 2) n + 1 = power 2 n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumBelow_succ, power_base_two, double_eq_add]
    omega

theorem sumBelow_mono (f : Nat → Nat) (n : Nat) : sumBelow f n ≤ sumBelow f (n + 1) := by
  rw [sumBelow_succ]
  omega

theorem sumBelow_le (f g : Nat → Nat) (h : ∀ i, f i ≤ g i) (n : Nat) : sumBelow f n ≤ sumBelow g n := by
  induction n with
  | zero => exact Nat.le_refl 0
  | succ n ih =>
    rw [sumBelow_succ, sumBelow_succ]
    exact add_le_add_both (sumBelow f n) (sumBelow g n) (f n) (g n) ih (h n)

theorem sumBelow_congr (f g : Nat → Nat) (h : ∀ i, f i = g i) (n : Nat) : sumBelow f n = sumBelow g n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [sumBelow_succ, sumBelow_succ, ih, h]

theorem repeatFn_zero {α : Type} (f : α → α) (x : α) : repeatFn f 0 x = x := by
  rfl

theorem repeatFn_succ {α : Type} (f : α → α) (n : Nat) (x : α) : repeatFn f (n + 1) x = f (repeatFn f n x) := by
  rfl

theorem repeatFn_succ_inside {α : Type} (f : α → α) (n : Nat) (x : α) : repeatFn f n (f x) = f (repeatFn f n x) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [repeatFn_succ, repeatFn_succ, ih]

theorem repeatFn_add {α : Type} (f : α → α) (m n : Nat) (x : α) : repeatFn f (m + n) x = repeatFn f m (repeatFn f n x) := by
  induction m with
  | zero => rw [Nat.zero_add, repeatFn_zero]
  | succ m ih => rw [Nat.succ_add, repeatFn_succ, repeatFn_succ, ih]

theorem repeatFn_swap {α : Type} (f : α → α) (m n : Nat) (x : α) : repeatFn f m (repeatFn f n x) = repeatFn f n (repeatFn f m x) := by
  rw [← repeatFn_add, Nat.add_comm, repeatFn_add]

theorem repeatFn_id {α : Type} (n : Nat) (x : α) : repeatFn (fun y => y) n x = x := by
  induction n with
  | zero => rfl
  | succ n ih => rw [repeatFn_succ, ih]

theorem repeatFn_fixed {α : Type} (f : α → α) (x : α) (h : f x = x) (n : Nat) : repeatFn f n x = x := by
  induction n with
  | zero => rfl
  | succ n ih => rw [repeatFn_succ, ih, h]

theorem repeatFn_add_one (m n : Nat) : repeatFn (fun k => k + 1) m n = n + m := by
  induction m with
  | zero => rfl
  | succ m ih =>
    rw [repeatFn_succ, ih]
    omega

theorem repeatFn_double (n a : Nat) : repeatFn double n a = power 2 n * a := by
  induction n with
  | zero => rw [repeatFn_zero, power_zero, Nat.one_mul]
  | succ n ih => rw [repeatFn_succ, ih, power_base_two, double_mul]

theorem repeatFn_notb_twice (n : Nat) (b : Bool) : repeatFn notb (double n) b = b := by
  induction n with
  | zero => rfl
  | succ n ih => rw [double_succ, repeatFn_succ, repeatFn_succ, ih, notb_notb]

theorem repeatFn_notb_true (n : Nat) : repeatFn notb n true = evenb n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [repeatFn_succ, ih, evenb_succ]

end Stp
