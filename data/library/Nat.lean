/-! Arithmetic of natural numbers: regrouping, products, powers, subtraction, order. -/
namespace Stp

theorem add_swap_inner (a b c d : Nat) : (a + b) + (c + d) = (a + c) + (b + d) := by
  omega

theorem add_three_reverse (a b c : Nat) : a + b + c = c + b + a := by
  omega

theorem add_rotate_three (a b c : Nat) : a + b + c = b + c + a := by
  omega

theorem succ_add_succ (a b : Nat) : (a + 1) + (b + 1) = (a + b) + 2 := by
  omega

theorem add_zero_both (n : Nat) : 0 + n + 0 = n := by
  rw [Nat.add_zero, Nat.zero_add]

theorem add_self_even (n : Nat) : (n + n) % 2 = 0 := by
  omega

theorem add_self_inj (a b : Nat) (h : a + a = b + b) : a = b := by
  omega

theorem add_pos_left (a b : Nat) (h : 0 < a) : 0 < a + b := by
  omega

theorem add_pos_right (a b : Nat) (h : 0 < b) : 0 < a + b := by
  rw [Nat.add_comm]
  exact add_pos_left b a h

theorem add_both_zero (a b : Nat) : a + b = 0 ↔ a = 0 ∧ b = 0 := by
  omega

theorem add_le_add_both (a b c d : Nat) (h1 : a ≤ b) (h2 : c ≤ d) : a + c ≤ b + d := by
  omega

theorem add_lt_add_both (a b c d : Nat) (h1 : a < b) (h2 : c < d) : a + c < b + d := by
  omega

theorem mul_zero_both (n : Nat) : 0 * n + n * 0 = 0 := by
  rw [Nat.zero_mul, Nat.mul_zero]

theorem mul_swap_inner (a b c d : Nat) : (a * b) * (c * d) = (a * c) * (b * d) := by
  rw [Nat.mul_assoc, Nat.mul_left_comm b c d, ← Nat.mul_assoc]

theorem mul_three_reverse (a b c : Nat) : a * b * c = c * b * a := by
  rw [Nat.mul_comm (a * b) c, Nat.mul_comm a b, Nat.mul_assoc]

theorem mul_rotate_three (a b c : Nat) : a * b * c = b * c * a := by
  rw [Nat.mul_assoc, Nat.mul_comm]

theorem mul_succ_right (a b : Nat) : a * (b + 1) = a * b + a := by
  rw [Nat.mul_add, Nat.mul_one]

theorem mul_succ_both (a b : Nat) : (a + 1) * (b + 1) = a * b + a + b + 1 := by
  rw [mul_succ_right, Nat.succ_mul]
  omega

theorem mul_add_three (a b c d : Nat) : a * (b + c + d) = a * b + a * c + a * d := by
  rw [Nat.mul_add, Nat.mul_add]

theorem mul_two_add (n : Nat) : n * 2 = n + n := by
  omega

theorem mul_three_add (n : Nat) : n * 3 = n + n + n := by
  omega

theorem mul_pos_both (a b : Nat) (ha : 0 < a) (hb : 0 < b) : 0 < a * b := by
  exact Nat.mul_pos ha hb

theorem mul_le_left (a b c : Nat) (h : b ≤ c) : a * b ≤ a * c := by
  exact Nat.mul_le_mul_left a h

theorem mul_le_both (a b c d : Nat) (h1 : a ≤ b) (h2 : c ≤ d) : a * c ≤ b * d := by
  exact Nat.mul_le_mul h1 h2

theorem mul_self_le (n : Nat) : n ≤ n * n + 1 := by
  cases n with
  | zero => omega
  | succ n =>
    rw [mul_succ_both]
    omega

theorem le_mul_self (n : Nat) : n ≤ n * n := by
  cases n with
  | zero => omega
  | succ n =>
    rw [mul_succ_both]
    omega

theorem mul_self_le_both (a b : Nat) (h : a ≤ b) : a * a ≤ b * b := by
  exact mul_le_both a b a b h h

def square (n : Nat) : Nat := n * n

theorem square_zero : square 0 = 0 := by
  rfl

theorem square_one : square 1 = 1 := by
  rfl

theorem square_succ (n : Nat) : square (n + 1) = square n + n + n + 1 := by
  rw [square, square, mul_succ_both]

theorem square_mul (a b : Nat) : square (a * b) = square a * square b := by
  rw [square, square, square, mul_swap_inner]

theorem square_le_square (a b : Nat) (h : a ≤ b) : square a ≤ square b := by
  exact mul_self_le_both a b h

theorem le_square (n : Nat) : n ≤ square n := by
  exact le_mul_self n

theorem square_pos (n : Nat) (h : 0 < n) : 0 < square n := by
  exact mul_pos_both n n h h

theorem square_lt_succ (n : Nat) : square n < square (n + 1) := by
  rw [square_succ]
  omega

theorem square_add_two (n : Nat) : square (n + 2) = square n + 4 * n + 4 := by
  rw [square_succ, square_succ]
  omega

theorem sub_add_back (a b : Nat) (h : b ≤ a) : a - b + b = a := by
  omega

theorem sub_zero_left (n : Nat) : 0 - n = 0 := by
  omega

theorem sub_succ_succ (a b : Nat) : (a + 1) - (b + 1) = a - b := by
  omega

theorem sub_swap (a b c : Nat) : a - b - c = a - c - b := by
  omega

theorem sub_le_left (a b : Nat) : a - b ≤ a := by
  omega

theorem sub_le_sub_both (a b c : Nat) (h : a ≤ b) : a - c ≤ b - c := by
  omega

theorem sub_eq_zero_of_le (a b : Nat) (h : a ≤ b) : a - b = 0 := by
  omega

theorem le_of_sub_eq_zero (a b : Nat) (h : a - b = 0) : a ≤ b := by
  omega

theorem sub_eq_zero_iff (a b : Nat) : a - b = 0 ↔ a ≤ b := by
  constructor
  · exact le_of_sub_eq_zero a b
  · exact sub_eq_zero_of_le a b

theorem mul_sub_one (a b : Nat) : a * (b - 1) = a * b - a := by
  cases b with
  | zero => simp
  | succ b => rw [mul_succ_right, Nat.add_sub_cancel, Nat.add_sub_cancel]

def distance (a b : Nat) : Nat := (a - b) + (b - a)

theorem distance_self (n : Nat) : distance n n = 0 := by
  rw [distance, Nat.sub_self]

theorem distance_comm (a b : Nat) : distance a b = distance b a := by
  rw [distance, distance, Nat.add_comm]

theorem distance_zero (n : Nat) : distance n 0 = n := by
  simp [distance]

theorem distance_zero_left (n : Nat) : distance 0 n = n := by
  rw [distance_comm, distance_zero]

theorem distance_succ (a b : Nat) : distance (a + 1) (b + 1) = distance a b := by
  rw [distance, distance, sub_succ_succ, sub_succ_succ]

theorem distance_add_right (a b c : Nat) : distance (a + c) (b + c) = distance a b := by
  induction c with
  | zero => rfl
  | succ c ih => rw [← Nat.add_assoc, ← Nat.add_assoc, distance_succ, ih]

theorem distance_add_left (a b c : Nat) : distance (c + a) (c + b) = distance a b := by
  rw [Nat.add_comm c a, Nat.add_comm c b, distance_add_right]

theorem distance_add_self (a b : Nat) : distance (a + b) b = a := by
  unfold distance
  omega

theorem distance_eq_zero (a b : Nat) (h : distance a b = 0) : a = b := by
  unfold distance at h
  omega

theorem distance_eq_zero_iff (a b : Nat) : distance a b = 0 ↔ a = b := by
  constructor
  · exact distance_eq_zero a b
  · intro h
    rw [h, distance_self]

theorem distance_triangle (a b c : Nat) : distance a c ≤ distance a b + distance b c := by
  unfold distance
  omega

theorem distance_le_add (a b : Nat) : distance a b ≤ a + b := by
  unfold distance
  omega

theorem distance_of_le (a b : Nat) (h : a ≤ b) : distance a b = b - a := by
  unfold distance
  omega

end Stp
