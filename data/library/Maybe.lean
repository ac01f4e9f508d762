import Stp.Boolean
import Stp.Order
/-! Optional values: mapping, chaining, first of two, adding. -/
namespace Stp

def mapMaybe {α β : Type} (f : α → β) : Option α → Option β
  | none => none
  | some x => some (f x)

def chain {α β : Type} : Option α → (α → Option β) → Option β
  | none, _ => none
  | some x, f => f x

def firstOf {α : Type} : Option α → Option α → Option α
  | none, y => y
  | some x, _ => some x

def fromMaybe {α : Type} (d : α) : Option α → α
  | none => d
  | some x => x

def hasValue {α : Type} : Option α → Bool
  | none => false
  | some _ => true

def keepIf {α : Type} (p : α → Bool) : Option α → Option α
  | none => none
  | some x => if p x then some x else none

def addMaybe : Option Nat → Option Nat → Option Nat
  | some a, some b => some (a + b)
  | _, _ => none

def predMaybe : Nat → Option Nat
  | 0 => none
  | n + 1 => some n

theorem mapMaybe_none {α β : Type} (f : α → β) : mapMaybe f none = none := by
  rfl

theorem mapMaybe_some {α β : Type} (f : α → β) (x : α) : mapMaybe f (some x) = some (f x) := by
  rfl

theorem mapMaybe_id {α : Type} (x : Option α) : mapMaybe (fun a => a) x = x := by
  cases x <;> rfl

theorem mapMaybe_mapMaybe {α β γ : Type} (f : α → β) (g : β → γ) (x : Option α) : mapMaybe g (mapMaybe f x) = mapMaybe (fun a => g (f a)) x := by
  cases x <;> rfl

theorem mapMaybe_eq_map {α β : Type} (f : α → β) (x : Option α) : mapMaybe f x = x.map f := by
  cases x <;> rfl

theorem mapMaybe_eq_none {α β : Type} (f : α → β) (x : Option α) (h : mapMaybe f x = none) : x = none := by
  cases x with
  | none => rfl
  | some a => contradiction

theorem mapMaybe_congr {α β : Type} (f g : α → β) (h : ∀ a, f a = g a) (x : Option α) : mapMaybe f x = mapMaybe g x := by
  cases x with
  | none => rfl
  | some a => rw [mapMaybe_some, mapMaybe_some, h]

theorem chain_none {α β : Type} (f : α → Option β) : chain none f = none := by
  rfl

theorem chain_some {α β : Type} (x : α) (f : α → Option β) : chain (some x) f = f x := by
  rfl

theorem chain_to_some {α : Type} (x : Option α) : chain x some = x := by
  cases x <;> rfl

theorem chain_to_none {α β : Type} (x : Option α) : chain x (fun _ => (none : Option β)) = none := by
  cases x <;> rfl

theorem chain_chain {α β γ : Type} (x : Option α) (f : α → Option β) (g : β → Option γ) : chain (chain x f) g = chain x (fun a => chain (f a) g) := by
  cases x <;> rfl

theorem chain_eq_bind {α β : Type} (x : Option α) (f : α → Option β) : chain x f = x.bind f := by
  cases x <;> rfl

theorem mapMaybe_eq_chain {α β : Type} (f : α → β) (x : Option α) : mapMaybe f x = chain x (fun a => some (f a)) := by
  cases x <;> rfl

theorem mapMaybe_chain {α β γ : Type} (f : β → γ) (x : Option α) (g : α → Option β) : mapMaybe f (chain x g) = chain x (fun a => mapMaybe f (g a)) := by
  cases x <;> rfl

theorem chain_mapMaybe {α β γ : Type} (f : α → β) (x : Option α) (g : β → Option γ) : chain (mapMaybe f x) g = chain x (fun a => g (f a)) := by
  cases x <;> rfl

theorem firstOf_none_left {α : Type} (x : Option α) : firstOf none x = x := by
  rfl

theorem firstOf_none_right {α : Type} (x : Option α) : firstOf x none = x := by
  cases x <;> rfl

theorem firstOf_self {α : Type} (x : Option α) : firstOf x x = x := by
  cases x <;> rfl

theorem firstOf_assoc {α : Type} (x y z : Option α) : firstOf (firstOf x y) z = firstOf x (firstOf y z) := by
  cases x <;> rfl

theorem firstOf_some {α : Type} (a : α) (x : Option α) : firstOf (some a) x = some a := by
  rfl

theorem firstOf_repeat {α : Type} (x y : Option α) : firstOf x (firstOf y x) = firstOf x y := by
  cases x with
  | none => rw [firstOf_none_left, firstOf_none_right, firstOf_none_left]
  | some a => rw [firstOf_some, firstOf_some]

theorem mapMaybe_firstOf {α β : Type} (f : α → β) (x y : Option α) : mapMaybe f (firstOf x y) = firstOf (mapMaybe f x) (mapMaybe f y) := by
  cases x <;> rfl

theorem firstOf_eq_none {α : Type} (x y : Option α) (h : firstOf x y = none) : x = none ∧ y = none := by
  cases x with
  | none => exact ⟨rfl, h⟩
  | some a => contradiction

theorem fromMaybe_none {α : Type} (d : α) : fromMaybe d none = d := by
  rfl

theorem fromMaybe_some {α : Type} (d x : α) : fromMaybe d (some x) = x := by
  rfl

theorem fromMaybe_mapMaybe {α β : Type} (f : α → β) (d : α) (x : Option α) : fromMaybe (f d) (mapMaybe f x) = f (fromMaybe d x) := by
  cases x <;> rfl

theorem fromMaybe_firstOf {α : Type} (d : α) (x y : Option α) : fromMaybe d (firstOf x y) = fromMaybe (fromMaybe d y) x := by
  cases x <;> rfl

theorem fromMaybe_same {α : Type} (d : α) (x : Option α) (h : x = none ∨ x = some d) : fromMaybe d x = d := by
  cases h with
  | inl h => rw [h, fromMaybe_none]
  | inr h => rw [h, fromMaybe_some]

theorem hasValue_some {α : Type} (x : α) : hasValue (some x) = true := by
  rfl

theorem hasValue_mapMaybe {α β : Type} (f : α → β) (x : Option α) : hasValue (mapMaybe f x) = hasValue x := by
  cases x <;> rfl

theorem hasValue_firstOf {α : Type} (x y : Option α) : hasValue (firstOf x y) = orb (hasValue x) (hasValue y) := by
  cases x <;> rfl

theorem hasValue_firstOf_comm {α : Type} (x y : Option α) : hasValue (firstOf x y) = hasValue (firstOf y x) := by
  rw [hasValue_firstOf, hasValue_firstOf, orb_comm]

theorem hasValue_false_iff {α : Type} (x : Option α) : hasValue x = false ↔ x = none := by
  cases x <;> simp [hasValue]

theorem hasValue_true_iff {α : Type} (x : Option α) : hasValue x = true ↔ ∃ a, x = some a := by
  cases x <;> simp [hasValue]

theorem keepIf_none {α : Type} (p : α → Bool) : keepIf p none = none := by
  rfl

theorem keepIf_true {α : Type} (x : Option α) : keepIf (fun _ => true) x = x := by
  cases x <;> rfl

theorem keepIf_false {α : Type} (x : Option α) : keepIf (fun _ => false) x = none := by
  cases x <;> rfl

theorem keepIf_some_true {α : Type} (p : α → Bool) (x : α) (h : p x = true) : keepIf p (some x) = some x := by
  simp [keepIf, h]

theorem keepIf_some_false {α : Type} (p : α → Bool) (x : α) (h : p x = false) : keepIf p (some x) = none := by
  simp [keepIf, h]

theorem keepIf_keepIf {α : Type} (p : α → Bool) (x : Option α) : keepIf p (keepIf p x) = keepIf p x := by
  cases x with
  | none => rfl
  | some a =>
    cases h : p a with
    | true => rw [keepIf_some_true p a h, keepIf_some_true p a h]
    | false => rw [keepIf_some_false p a h, keepIf_none]

theorem addMaybe_none_left (x : Option Nat) : addMaybe none x = none := by
  cases x <;> rfl

theorem addMaybe_none_right (x : Option Nat) : addMaybe x none = none := by
  cases x <;> rfl

theorem addMaybe_some (a b : Nat) : addMaybe (some a) (some b) = some (a + b) := by
  rfl

theorem addMaybe_zero (x : Option Nat) : addMaybe x (some 0) = x := by
  cases x <;> rfl

theorem addMaybe_comm (x y : Option Nat) : addMaybe x y = addMaybe y x := by
  cases x with
  | none => rw [addMaybe_none_left, addMaybe_none_right]
  | some a =>
    cases y with
    | none => rw [addMaybe_none_left, addMaybe_none_right]
    | some b => rw [addMaybe_some, addMaybe_some, Nat.add_comm]

theorem addMaybe_zero_left (x : Option Nat) : addMaybe (some 0) x = x := by
  rw [addMaybe_comm, addMaybe_zero]

theorem addMaybe_assoc (x y z : Option Nat) : addMaybe (addMaybe x y) z = addMaybe x (addMaybe y z) := by
  cases x <;> cases y <;> cases z <;> simp [addMaybe, Nat.add_assoc]

theorem hasValue_addMaybe (x y : Option Nat) : hasValue (addMaybe x y) = andb (hasValue x) (hasValue y) := by
  cases x <;> cases y <;> rfl

theorem addMaybe_double (x : Option Nat) : addMaybe x x = mapMaybe double x := by
  cases x with
  | none => rfl
  | some a => rw [addMaybe_some, mapMaybe_some, double_eq_add]

theorem predMaybe_zero : predMaybe 0 = none := by
  rfl

theorem predMaybe_succ (n : Nat) : predMaybe (n + 1) = some n := by
  rfl

theorem hasValue_predMaybe (n : Nat) : hasValue (predMaybe n) = notb (isZero n) := by
  cases n <;> rfl

theorem mapMaybe_predMaybe (n : Nat) (h : 0 < n) : mapMaybe (fun k => k + 1) (predMaybe n) = some n := by
  cases n with
  | zero => contradiction
  | succ n => rfl

theorem fromMaybe_predMaybe (n : Nat) : fromMaybe 0 (predMaybe n) = n - 1 := by
  cases n <;> rfl

theorem chain_predMaybe (n : Nat) : chain (predMaybe (n + 2)) predMaybe = some n := by
  rw [predMaybe_succ, chain_some, predMaybe_succ]

end Stp
