/-! Given numbers and linear conditions: evaluation, remainders, divisors, sequences, whole numbers with sign. -/
namespace Stp

theorem remainder_small_one : 100 % 7 = 2 := by
  decide

theorem remainder_small_two : 365 % 12 = 5 := by
  decide

theorem remainder_sum : (14 + 27 + 33) % 8 = 2 := by
  decide

theorem remainder_product : (23 * 37) % 9 = 5 := by
  decide

theorem remainder_power_one : 2 ^ 12 % 7 = 1 := by
  decide

theorem remainder_power_two : 3 ^ 20 % 10 = 1 := by
  decide

theorem remainder_power_three : 7 ^ 9 % 11 = 8 := by
  decide

theorem quotient_small : 1000 / 37 = 27 := by
  decide

theorem power_value : 2 ^ 10 = 1024 := by
  rfl

theorem square_value : 45 ^ 2 = 2025 := by
  rfl

theorem polynomial_value : 3 * 5 ^ 2 + 4 * 5 + 1 = 96 := by
  rfl

theorem gcd_value_one : Nat.gcd 84 36 = 12 := by
  decide

theorem gcd_value_two : Nat.gcd 100 75 = 25 := by
  decide

theorem lcm_value : Nat.lcm 12 18 = 36 := by
  decide

theorem divides_small : 9 ∣ 126 := by
  decide

theorem not_divides_small : ¬7 ∣ 100 := by
  decide

theorem compare_powers : 2 ^ 8 < 3 ^ 6 := by
  decide

theorem remainder_pair : 50 % 7 = 1 ∧ 50 % 6 = 2 := by
  decide

theorem absolute_value : (12 - 20 : Int).natAbs = 8 := by
  decide

theorem linear_sum (x y : Nat) (h1 : x + y = 12) (h2 : x = 5) : y = 7 := by
  omega

theorem linear_pair (x y : Nat) (h1 : x + y = 20) (h2 : x = y + 4) : x = 12 := by
  omega

theorem linear_pair_product (x y : Nat) (h1 : x + y = 15) (h2 : x = 2 * y) : y = 5 := by
  omega

theorem linear_three (a b c : Nat) (h1 : a + b = 7) (h2 : b + c = 9) (h3 : a + c = 8) : a + b + c = 12 := by
  omega

theorem linear_scaled (n : Nat) (h : 5 * n + 3 = 38) : n = 7 := by
  omega

theorem linear_digits (a b : Nat) (h1 : b ≤ 9) (h2 : 10 * a + b = 47) : a = 4 := by
  omega

theorem linear_digit_sum (a b : Nat) (h1 : 10 * a + b = 36) (h2 : a + b = 9) : b = 6 := by
  omega

theorem linear_bounds (x y : Nat) (h1 : x ≤ 3) (h2 : y ≤ 2 * x) : x + y ≤ 9 := by
  omega

theorem linear_not_equal (x : Nat) (h : 2 * x + 1 = 9) : x ≠ 5 := by
  omega

theorem linear_either (x : Nat) (h1 : x < 3) (h2 : x ≠ 1) : x = 0 ∨ x = 2 := by
  omega

theorem linear_between (x : Nat) (h1 : 4 < x) (h2 : x < 6) : x = 5 := by
  omega

theorem linear_and (x y : Nat) (h : x + y = 1 ∧ x = y + 1) : x = 1 ∧ y = 0 := by
  omega

theorem linear_implies (x y : Nat) : x + 2 = y + 2 → x = y := by
  omega

theorem linear_iff (x y : Nat) : x + 1 ≤ y ↔ x < y := by
  omega

theorem linear_forall : ∀ n : Nat, n + 3 ≠ n + 4 := by
  omega

theorem integer_sum (x y : Int) (h1 : x + y = 10) (h2 : x - y = 2) : x = 6 := by
  omega

theorem integer_negative (x : Int) (h1 : 3 * x + 7 = 1) : x = -2 := by
  omega

theorem integer_order (x y : Int) (h1 : x < y) (h2 : y < x + 2) : y = x + 1 := by
  omega

theorem integer_swap (a b : Int) : a - b = -(b - a) := by
  omega

theorem integer_bounds (x : Int) (h1 : -3 < x) (h2 : x < -1) : x = -2 := by
  omega

theorem integer_even_odd (n : Int) : n % 2 = 0 ∨ n % 2 = 1 := by
  omega

theorem remainder_add (n : Nat) (h : n % 5 = 2) : (n + 4) % 5 = 1 := by
  omega

theorem remainder_scale (n : Nat) (h : n % 9 = 4) : 2 * n % 9 = 8 := by
  omega

theorem remainder_coarser (n : Nat) (h : n % 6 = 5) : n % 3 = 2 := by
  omega

theorem remainder_inverse (n : Nat) (h1 : n < 11) (h2 : n * 4 % 11 = 1) : n = 3 := by
  omega

theorem remainder_two (n : Nat) (h1 : n % 2 = 1) (h2 : n % 3 = 2) : n % 6 = 5 := by
  omega

theorem remainder_step (n : Nat) (h : n % 3 = 2) : (n + 1) % 3 = 0 := by
  omega

theorem divides_add (n : Nat) (h : 4 ∣ n) : 4 ∣ n + 8 := by
  omega

theorem divides_coarser (n : Nat) (h : 12 ∣ n) : 3 ∣ n := by
  omega

theorem divides_digit (n : Nat) (h1 : n ≤ 9) (h2 : 13 ∣ 50 + n) : n = 2 := by
  omega

theorem even_sum (a b : Nat) (h1 : a % 2 = 1) (h2 : b % 2 = 1) : (a + b) % 2 = 0 := by
  omega

theorem even_twice (n : Nat) (h : ∃ r, n = r + r) : n % 2 = 0 := by
  obtain ⟨r, hr⟩ := h
  omega

theorem odd_form (n : Nat) (h : ∃ r, n = 2 * r + 1) : n % 2 = 1 := by
  obtain ⟨r, hr⟩ := h
  omega

theorem even_witness (n : Nat) (h : n % 2 = 0) : ∃ r, n = r + r := by
  exact ⟨n / 2, by omega⟩

theorem larger_exists (n : Nat) : ∃ m, m > n ∧ m % 2 = 0 := by
  exact ⟨2 * n + 2, by omega⟩

theorem substitute_value (x : Nat) (h : x = 6) : 2 * x + 3 = 15 := by
  rw [h]

theorem substitute_square (x : Nat) (h : x = 7) : x ^ 2 + x = 56 := by
  rw [h]

theorem substitute_integer (x : Int) (h : x = 3) : (2 * x - 1) * (x + 1) = 20 := by
  rw [h]
  decide

theorem substitute_two (x y : Nat) (h1 : x = 4) (h2 : y = x + 1) : x * y = 20 := by
  rw [h2, h1]

theorem function_value (f : Nat → Nat) (h : ∀ x, f x = 3 * x + 2) : f 5 = 17 := by
  rw [h]

theorem function_twice (f : Nat → Nat) (h : ∀ x, f x = 2 * x + 1) : f (f 3) = 15 := by
  rw [h, h]

theorem function_pair (f : Nat → Nat → Nat) (h : ∀ a b, f a b = a * b + a) : f 3 4 = 15 := by
  rw [h]

theorem sequence_value (u : Nat → Nat) (h0 : u 0 = 1) (h1 : ∀ n, u (n + 1) = u n + 3) : u 3 = 10 := by
  rw [h1, h1, h1, h0]

theorem sequence_linear (u : Nat → Nat) (h0 : u 0 = 5) (h1 : ∀ n, u (n + 1) = u n + 2) (n : Nat) : u n = 2 * n + 5 := by
  induction n with
  | zero => rw [h0]
  | succ n ih =>
    rw [h1, ih]
    omega

theorem sequence_doubling (u : Nat → Nat) (h0 : u 0 = 1) (h1 : ∀ n, u (n + 1) = 2 * u n) (n : Nat) : u n = 2 ^ n := by
  induction n with
  | zero => rw [h0]
  | succ n ih =>
    rw [h1, ih, Nat.pow_succ]
    omega

theorem sequence_offset (u : Nat → Nat) (h0 : u 0 = 0) (h1 : ∀ n, u (n + 1) = 2 * u n + 1) (n : Nat) : u n + 1 = 2 ^ n := by
  induction n with
  | zero => rw [h0]
  | succ n ih =>
    rw [h1, Nat.pow_succ, ← ih]
    omega

theorem sequence_rising (u : Nat → Nat) (h : ∀ n, u n < u (n + 1)) (n : Nat) : n ≤ u n := by
  induction n with
  | zero => omega
  | succ n ih =>
    have := h n
    omega

theorem sequence_constant (u : Nat → Nat) (h : ∀ n, u (n + 1) = u n) (n : Nat) : u n = u 0 := by
  induction n with
  | zero => rfl
  | succ n ih => rw [h, ih]

theorem power_remainder_four (n : Nat) : 5 ^ n % 4 = 1 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [Nat.pow_succ]
    omega

theorem power_remainder_six (n : Nat) : 7 ^ n % 6 = 1 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [Nat.pow_succ]
    omega

theorem power_divisible_eight (n : Nat) : 8 ∣ 9 ^ n - 1 := by
  induction n with
  | zero => decide
  | succ n ih =>
    rw [Nat.pow_succ]
    omega

theorem power_divisible_even (n : Nat) : 2 ∣ 6 ^ (n + 1) := by
  rw [Nat.pow_succ]
  omega

theorem power_sum_divisible (n : Nat) : 5 ∣ 6 ^ n + 4 := by
  induction n with
  | zero => decide
  | succ n ih =>
    rw [Nat.pow_succ]
    omega

theorem power_linear_bound (n : Nat) : n + 1 ≤ 2 ^ n := by
  induction n with
  | zero => decide
  | succ n ih =>
    rw [Nat.pow_succ]
    omega

theorem power_linear_bound_three (n : Nat) : 2 * n + 1 ≤ 3 ^ n := by
  induction n with
  | zero => decide
  | succ n ih =>
    rw [Nat.pow_succ]
    omega

theorem power_three_odd (n : Nat) : 3 ^ n % 2 = 1 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [Nat.pow_succ]
    omega

theorem power_ten_remainder (n : Nat) : 10 ^ n % 3 = 1 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [Nat.pow_succ]
    omega

theorem product_even (n : Nat) : n * (n + 1) % 2 = 0 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [Nat.mul_add, Nat.mul_one] at ih
    rw [Nat.mul_add, Nat.add_mul, Nat.mul_add]
    omega

end Stp
