import Stp.Boolean
import Stp.Double
/-! Comparisons that compute, smaller and larger of two, cut-off subtraction. -/
namespace Stp

def eqb : Nat → Nat → Bool
  | 0, 0 => true
  | 0, _ + 1 => false
  | _ + 1, 0 => false
  | a + 1, b + 1 => eqb a b

def leb : Nat → Nat → Bool
  | 0, _ => true
  | _ + 1, 0 => false
  | a + 1, b + 1 => leb a b

def ltb (a b : Nat) : Bool := leb (a + 1) b

def minimum (a b : Nat) : Nat := if a ≤ b then a else b

def maximum (a b : Nat) : Nat := if a ≤ b then b else a

def monus : Nat → Nat → Nat
  | a, 0 => a
  | 0, _ + 1 => 0
  | a + 1, b + 1 => monus a b

def isZero : Nat → Bool
  | 0 => true
  | _ + 1 => false

theorem isZero_add (a b : Nat) : isZero (a + b) = andb (isZero a) (isZero b) := by
  cases a with
  | zero =>
    rw [Nat.zero_add]
    rfl
  | succ a =>
    rw [Nat.succ_add]
    rfl

theorem isZero_true_iff (n : Nat) : isZero n = true ↔ n = 0 := by
  cases n <;> simp [isZero]

theorem isZero_double (n : Nat) : isZero (double n) = isZero n := by
  cases n <;> rfl

theorem isZero_mul (a b : Nat) : isZero (a * b) = orb (isZero a) (isZero b) := by
  cases a with
  | zero =>
    rw [Nat.zero_mul]
    rfl
  | succ a =>
    rw [Nat.succ_mul, isZero_add]
    cases b with
    | zero =>
      rw [Nat.mul_zero]
      rfl
    | succ b => rw [andb_comm]; rfl

theorem eqb_self (n : Nat) : eqb n n = true := by
  induction n with
  | zero => rfl
  | succ n ih => exact ih

theorem eqb_comm (a b : Nat) : eqb a b = eqb b a := by
  induction a generalizing b with
  | zero => cases b <;> rfl
  | succ a ih =>
    cases b with
    | zero => rfl
    | succ b => exact ih b

theorem eqb_eq (a b : Nat) (h : eqb a b = true) : a = b := by
  induction a generalizing b with
  | zero =>
    cases b with
    | zero => rfl
    | succ b => simp [eqb] at h
  | succ a ih =>
    cases b with
    | zero => simp [eqb] at h
    | succ b => rw [ih b h]

theorem eqb_true_iff (a b : Nat) : eqb a b = true ↔ a = b := by
  constructor
  · exact eqb_eq a b
  · intro h
    rw [h, eqb_self]

theorem eqb_false_ne (a b : Nat) (h : eqb a b = false) : a ≠ b := by
  intro hab
  rw [hab, eqb_self] at h
  contradiction

theorem eqb_ne_false (a b : Nat) (h : a ≠ b) : eqb a b = false := by
  cases hab : eqb a b with
  | true => exact (h (eqb_eq a b hab)).elim
  | false => rfl

theorem eqb_trans (a b c : Nat) (h1 : eqb a b = true) (h2 : eqb b c = true) : eqb a c = true := by
  rw [eqb_eq a b h1, h2]

theorem eqb_add_left (a b c : Nat) : eqb (c + a) (c + b) = eqb a b := by
  induction c with
  | zero => rw [Nat.zero_add, Nat.zero_add]
  | succ c ih =>
    rw [Nat.succ_add, Nat.succ_add]
    exact ih

theorem eqb_add_right (a b c : Nat) : eqb (a + c) (b + c) = eqb a b := by
  rw [Nat.add_comm a c, Nat.add_comm b c, eqb_add_left]

theorem eqb_succ_self (n : Nat) : eqb (n + 1) n = false := by
  induction n with
  | zero => rfl
  | succ n ih => exact ih

theorem eqb_self_succ (n : Nat) : eqb n (n + 1) = false := by
  rw [eqb_comm, eqb_succ_self]

theorem eqb_double (a b : Nat) : eqb (double a) (double b) = eqb a b := by
  induction a generalizing b with
  | zero => cases b <;> rfl
  | succ a ih =>
    cases b with
    | zero => rfl
    | succ b => exact ih b

theorem eqb_zero (n : Nat) : eqb n 0 = isZero n := by
  cases n <;> rfl

theorem leb_le (a b : Nat) (h : leb a b = true) : a ≤ b := by
  induction a generalizing b with
  | zero => omega
  | succ a ih =>
    cases b with
    | zero => simp [leb] at h
    | succ b =>
      have := ih b h
      omega

theorem le_leb (a b : Nat) (h : a ≤ b) : leb a b = true := by
  induction a generalizing b with
  | zero => rfl
  | succ a ih =>
    cases b with
    | zero => omega
    | succ b => exact ih b (by omega)

theorem leb_true_iff (a b : Nat) : leb a b = true ↔ a ≤ b := by
  constructor
  · exact leb_le a b
  · exact le_leb a b

theorem leb_false_lt (a b : Nat) (h : leb a b = false) : b < a := by
  cases Nat.lt_or_ge b a with
  | inl hlt => exact hlt
  | inr hle =>
    rw [le_leb a b hle] at h
    contradiction

theorem leb_false_iff (a b : Nat) : leb a b = false ↔ b < a := by
  constructor
  · exact leb_false_lt a b
  · intro h
    cases hab : leb a b with
    | true =>
      have := leb_le a b hab
      omega
    | false => rfl

theorem leb_total (a b : Nat) : orb (leb a b) (leb b a) = true := by
  induction a generalizing b with
  | zero => rfl
  | succ a ih =>
    cases b with
    | zero => rfl
    | succ b => exact ih b

theorem leb_add_left (a b c : Nat) : leb (c + a) (c + b) = leb a b := by
  induction c with
  | zero => rw [Nat.zero_add, Nat.zero_add]
  | succ c ih =>
    rw [Nat.succ_add, Nat.succ_add]
    exact ih

theorem leb_add_right (a b c : Nat) : leb (a + c) (b + c) = leb a b := by
  rw [Nat.add_comm a c, Nat.add_comm b c, leb_add_left]

theorem leb_double (a b : Nat) : leb (double a) (double b) = leb a b := by
  induction a generalizing b with
  | zero => rfl
  | succ a ih =>
    cases b with
    | zero => rfl
    | succ b => exact ih b

theorem leb_zero_right (n : Nat) : leb n 0 = isZero n := by
  cases n <;> rfl

theorem ltb_zero (n : Nat) : ltb n 0 = false := by
  rfl

theorem ltb_true_iff (a b : Nat) : ltb a b = true ↔ a < b := by
  rw [ltb, leb_true_iff]
  omega

theorem ltb_succ (a b : Nat) : ltb (a + 1) (b + 1) = ltb a b := by
  rfl

theorem ltb_self_succ (n : Nat) : ltb n (n + 1) = true := by
  rw [ltb_true_iff]
  omega

theorem ltb_leb (a b : Nat) (h : ltb a b = true) : leb a b = true := by
  rw [ltb_true_iff] at h
  rw [leb_true_iff]
  omega

theorem ltb_eq_notb_leb (a b : Nat) : ltb a b = notb (leb b a) := by
  induction a generalizing b with
  | zero => cases b <;> rfl
  | succ a ih =>
    cases b with
    | zero => rfl
    | succ b => exact ih b

theorem notb_ltb (a b : Nat) : notb (ltb a b) = leb b a := by
  rw [ltb_eq_notb_leb, notb_notb]

theorem minimum_self (n : Nat) : minimum n n = n := by
  simp [minimum]

theorem minimum_zero_left (n : Nat) : minimum 0 n = 0 := by
  simp [minimum]

theorem minimum_zero_right (n : Nat) : minimum n 0 = 0 := by
  unfold minimum
  split <;> omega

theorem minimum_le_left (a b : Nat) : minimum a b ≤ a := by
  unfold minimum
  split <;> omega

theorem minimum_le_right (a b : Nat) : minimum a b ≤ b := by
  unfold minimum
  split <;> omega

theorem le_minimum (a b c : Nat) (h1 : c ≤ a) (h2 : c ≤ b) : c ≤ minimum a b := by
  unfold minimum
  split <;> omega

theorem le_minimum_iff (a b c : Nat) : c ≤ minimum a b ↔ c ≤ a ∧ c ≤ b := by
  constructor
  · intro h
    have hl := minimum_le_left a b
    have hr := minimum_le_right a b
    omega
  · intro h
    exact le_minimum a b c h.1 h.2

theorem minimum_succ (a b : Nat) : minimum (a + 1) (b + 1) = minimum a b + 1 := by
  unfold minimum
  split <;> split <;> omega

theorem minimum_add_right (a b c : Nat) : minimum (a + c) (b + c) = minimum a b + c := by
  induction c with
  | zero => rfl
  | succ c ih => rw [← Nat.add_assoc, ← Nat.add_assoc, minimum_succ, ih, Nat.add_assoc]

theorem minimum_double (a b : Nat) : minimum (double a) (double b) = double (minimum a b) := by
  rw [double_eq_add, double_eq_add, double_eq_add]
  unfold minimum
  split <;> split <;> omega

theorem maximum_self (n : Nat) : maximum n n = n := by
  simp [maximum]

theorem maximum_zero_left (n : Nat) : maximum 0 n = n := by
  simp [maximum]

theorem maximum_zero_right (n : Nat) : maximum n 0 = n := by
  unfold maximum
  split <;> omega

theorem le_maximum_left (a b : Nat) : a ≤ maximum a b := by
  unfold maximum
  split <;> omega

theorem le_maximum_right (a b : Nat) : b ≤ maximum a b := by
  unfold maximum
  split <;> omega

theorem maximum_le (a b c : Nat) (h1 : a ≤ c) (h2 : b ≤ c) : maximum a b ≤ c := by
  unfold maximum
  split <;> omega

theorem maximum_le_iff (a b c : Nat) : maximum a b ≤ c ↔ a ≤ c ∧ b ≤ c := by
  constructor
  · intro h
    have hl := le_maximum_left a b
    have hr := le_maximum_right a b
    omega
  · intro h
    exact maximum_le a b c h.1 h.2

theorem maximum_succ (a b : Nat) : maximum (a + 1) (b + 1) = maximum a b + 1 := by
  unfold maximum
  split <;> split <;> omega

theorem maximum_add_right (a b c : Nat) : maximum (a + c) (b + c) = maximum a b + c := by
  induction c with
  | zero => rfl
  | succ c ih => rw [← Nat.add_assoc, ← Nat.add_assoc, maximum_succ, ih, Nat.add_assoc]

theorem maximum_le_add (a b : Nat) : maximum a b ≤ a + b := by
  apply maximum_le
  · omega
  · omega

theorem minimum_le_maximum (a b : Nat) : minimum a b ≤ maximum a b := by
  have h1 := minimum_le_left a b
  have h2 := le_maximum_left a b
  omega

theorem minimum_add_maximum (a b : Nat) : minimum a b + maximum a b = a + b := by
  unfold minimum maximum
  split <;> omega

theorem distance_eq_maximum_sub (a b : Nat) : distance a b = maximum a b - minimum a b := by
  unfold distance minimum maximum
  split <;> omega

theorem monus_zero (n : Nat) : monus n 0 = n := by
  cases n <;> rfl

theorem monus_zero_left (n : Nat) : monus 0 n = 0 := by
  cases n <;> rfl

theorem monus_succ_succ (a b : Nat) : monus (a + 1) (b + 1) = monus a b := by
  rfl

theorem monus_eq_sub (a b : Nat) : monus a b = a - b := by
  induction a generalizing b with
  | zero =>
    rw [monus_zero_left]
    omega
  | succ a ih =>
    cases b with
    | zero => rfl
    | succ b =>
      rw [monus_succ_succ, ih]
      omega

theorem monus_le (a b : Nat) : monus a b ≤ a := by
  rw [monus_eq_sub]
  omega

theorem monus_succ_self (n : Nat) : monus (n + 1) n = 1 := by
  induction n with
  | zero => rfl
  | succ n ih => exact ih

theorem monus_self_succ (n : Nat) : monus n (n + 1) = 0 := by
  induction n with
  | zero => rfl
  | succ n ih => exact ih

theorem monus_double (a b : Nat) : monus (double a) (double b) = double (monus a b) := by
  rw [monus_eq_sub, monus_eq_sub, double_sub]

theorem isZero_monus (a b : Nat) : isZero (monus a b) = leb a b := by
  induction a generalizing b with
  | zero =>
    rw [monus_zero_left]
    rfl
  | succ a ih =>
    cases b with
    | zero => rfl
    | succ b => exact ih b

end Stp
