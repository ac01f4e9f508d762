/-! Boolean functions of our own, each by cases. -/
namespace Stp

def notb : Bool → Bool
  | true => false
  | false => true

def andb : Bool → Bool → Bool
  | true, b => b
  | false, _ => false

def orb : Bool → Bool → Bool
  | true, _ => true
  | false, b => b

def xorb : Bool → Bool → Bool
  | true, b => notb b
  | false, b => b

def impb (a b : Bool) : Bool := orb (notb a) b

def sameb (a b : Bool) : Bool := notb (xorb a b)

def choose {α : Type} : Bool → α → α → α
  | true, x, _ => x
  | false, _, y => y

def boolToNat : Bool → Nat
  | true => 1
  | false => 0

theorem notb_true : notb true = false := by
  rfl

theorem notb_false : notb false = true := by
  rfl

theorem notb_notb (b : Bool) : notb (notb b) = b := by
  cases b <;> rfl

theorem notb_ne (b : Bool) : notb b ≠ b := by
  cases b <;> decide

theorem notb_eq_not (b : Bool) : notb b = !b := by
  cases b <;> rfl

theorem notb_inj (a b : Bool) (h : notb a = notb b) : a = b := by
  rw [← notb_notb a, h, notb_notb]

theorem andb_true (b : Bool) : andb b true = b := by
  cases b <;> rfl

theorem andb_false (b : Bool) : andb b false = false := by
  cases b <;> rfl

theorem andb_comm (a b : Bool) : andb a b = andb b a := by
  cases a <;> cases b <;> rfl

theorem andb_assoc (a b c : Bool) : andb (andb a b) c = andb a (andb b c) := by
  cases a <;> rfl

theorem andb_self (b : Bool) : andb b b = b := by
  cases b <;> rfl

theorem andb_notb (b : Bool) : andb b (notb b) = false := by
  cases b <;> rfl

theorem andb_eq_and (a b : Bool) : andb a b = (a && b) := by
  cases a <;> rfl

theorem andb_left_comm (a b c : Bool) : andb a (andb b c) = andb b (andb a c) := by
  rw [← andb_assoc, andb_comm a b, andb_assoc]

theorem andb_true_left (a b : Bool) (h : andb a b = true) : a = true := by
  cases a with
  | true => rfl
  | false => exact h

theorem andb_true_right (a b : Bool) (h : andb a b = true) : b = true := by
  rw [andb_comm] at h
  exact andb_true_left b a h

theorem andb_true_iff (a b : Bool) : andb a b = true ↔ a = true ∧ b = true := by
  cases a <;> simp [andb]

theorem orb_true (b : Bool) : orb b true = true := by
  cases b <;> rfl

theorem orb_false (b : Bool) : orb b false = b := by
  cases b <;> rfl

theorem orb_comm (a b : Bool) : orb a b = orb b a := by
  cases a <;> cases b <;> rfl

theorem orb_assoc (a b c : Bool) : orb (orb a b) c = orb a (orb b c) := by
  cases a <;> rfl

theorem orb_self (b : Bool) : orb b b = b := by
  cases b <;> rfl

theorem orb_notb (b : Bool) : orb b (notb b) = true := by
  cases b <;> rfl

theorem orb_eq_or (a b : Bool) : orb a b = (a || b) := by
  cases a <;> rfl

theorem orb_left_comm (a b c : Bool) : orb a (orb b c) = orb b (orb a c) := by
  rw [← orb_assoc, orb_comm a b, orb_assoc]

theorem orb_true_iff (a b : Bool) : orb a b = true ↔ a = true ∨ b = true := by
  cases a <;> simp [orb]

theorem andb_orb (a b c : Bool) : andb a (orb b c) = orb (andb a b) (andb a c) := by
  cases a <;> rfl

theorem orb_andb (a b c : Bool) : orb a (andb b c) = andb (orb a b) (orb a c) := by
  cases a <;> rfl

theorem andb_orb_right (a b c : Bool) : andb (orb a b) c = orb (andb a c) (andb b c) := by
  rw [andb_comm, andb_orb, andb_comm c a, andb_comm c b]

theorem andb_orb_absorb (a b : Bool) : andb a (orb a b) = a := by
  cases a <;> rfl

theorem orb_andb_absorb (a b : Bool) : orb a (andb a b) = a := by
  cases a <;> rfl

theorem notb_andb (a b : Bool) : notb (andb a b) = orb (notb a) (notb b) := by
  cases a <;> rfl

theorem notb_orb (a b : Bool) : notb (orb a b) = andb (notb a) (notb b) := by
  cases a <;> rfl

theorem orb_eq_notb_andb (a b : Bool) : orb a b = notb (andb (notb a) (notb b)) := by
  rw [notb_andb, notb_notb, notb_notb]

theorem andb_eq_notb_orb (a b : Bool) : andb a b = notb (orb (notb a) (notb b)) := by
  rw [notb_orb, notb_notb, notb_notb]

theorem xorb_false (b : Bool) : xorb b false = b := by
  cases b <;> rfl

theorem xorb_true (b : Bool) : xorb b true = notb b := by
  cases b <;> rfl

theorem xorb_self (b : Bool) : xorb b b = false := by
  cases b <;> rfl

theorem xorb_comm (a b : Bool) : xorb a b = xorb b a := by
  cases a <;> cases b <;> rfl

theorem xorb_assoc (a b c : Bool) : xorb (xorb a b) c = xorb a (xorb b c) := by
  cases a <;> cases b <;> cases c <;> rfl

theorem xorb_cancel (a b : Bool) : xorb a (xorb a b) = b := by
  rw [← xorb_assoc, xorb_self]
  rfl

theorem xorb_notb (a b : Bool) : xorb (notb a) b = notb (xorb a b) := by
  cases a <;> cases b <;> rfl

theorem xorb_notb_notb (a b : Bool) : xorb (notb a) (notb b) = xorb a b := by
  rw [xorb_notb, xorb_comm, xorb_notb, notb_notb, xorb_comm]

theorem andb_xorb (a b c : Bool) : andb a (xorb b c) = xorb (andb a b) (andb a c) := by
  cases a <;> rfl

theorem xorb_eq_false (a b : Bool) (h : xorb a b = false) : a = b := by
  cases a <;> cases b <;> simp_all [xorb, notb]

theorem impb_self (b : Bool) : impb b b = true := by
  cases b <;> rfl

theorem impb_true (b : Bool) : impb b true = true := by
  rw [impb, orb_true]

theorem impb_false (b : Bool) : impb b false = notb b := by
  rw [impb, orb_false]

theorem impb_contrapositive (a b : Bool) : impb (notb b) (notb a) = impb a b := by
  rw [impb, impb, notb_notb, orb_comm]

theorem impb_andb (a b c : Bool) : impb (andb a b) c = impb a (impb b c) := by
  rw [impb, impb, impb, notb_andb, orb_assoc]

theorem sameb_self (b : Bool) : sameb b b = true := by
  rw [sameb, xorb_self]
  rfl

theorem sameb_comm (a b : Bool) : sameb a b = sameb b a := by
  rw [sameb, sameb, xorb_comm]

theorem sameb_notb (a b : Bool) : sameb (notb a) (notb b) = sameb a b := by
  rw [sameb, sameb, xorb_notb_notb]

theorem sameb_true (b : Bool) : sameb b true = b := by
  rw [sameb, xorb_true, notb_notb]

theorem sameb_true_iff (a b : Bool) : sameb a b = true ↔ a = b := by
  cases a <;> cases b <;> simp [sameb, xorb, notb]

theorem choose_same {α : Type} (b : Bool) (x : α) : choose b x x = x := by
  cases b <;> rfl

theorem choose_notb {α : Type} (b : Bool) (x y : α) : choose (notb b) x y = choose b y x := by
  cases b <;> rfl

theorem choose_map {α β : Type} (f : α → β) (b : Bool) (x y : α) : f (choose b x y) = choose b (f x) (f y) := by
  cases b <;> rfl

theorem choose_true_false (b : Bool) : choose b true false = b := by
  cases b <;> rfl

theorem choose_andb {α : Type} (a b : Bool) (x y : α) : choose (andb a b) x y = choose a (choose b x y) y := by
  cases a <;> rfl

theorem choose_false_true (b : Bool) : choose b false true = notb b := by
  rw [← choose_notb, choose_true_false]

theorem boolToNat_le_one (b : Bool) : boolToNat b ≤ 1 := by
  cases b <;> decide

theorem boolToNat_notb (b : Bool) : boolToNat b + boolToNat (notb b) = 1 := by
  cases b <;> rfl

theorem boolToNat_andb (a b : Bool) : boolToNat (andb a b) = boolToNat a * boolToNat b := by
  cases a <;> cases b <;> rfl

theorem boolToNat_andb_le (a b : Bool) : boolToNat (andb a b) ≤ boolToNat a := by
  cases a with
  | true => exact boolToNat_le_one b
  | false => exact Nat.le_refl 0

theorem boolToNat_orb (a b : Bool) : boolToNat (orb a b) + boolToNat (andb a b) = boolToNat a + boolToNat b := by
  cases a <;> cases b <;> rfl

theorem boolToNat_inj (a b : Bool) (h : boolToNat a = boolToNat b) : a = b := by
  cases a <;> cases b <;> simp_all [boolToNat]

end Stp
