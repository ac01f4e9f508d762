import Stp.Boolean
import Stp.Nat
/-! Pairs: swapping, mapping each side, currying, sums of pairs. -/
namespace Stp

def swapPair {α β : Type} (p : α × β) : β × α := (p.2, p.1)

def mapPair {α β γ δ : Type} (f : α → γ) (g : β → δ) (p : α × β) : γ × δ := (f p.1, g p.2)

def mapFirst {α β γ : Type} (f : α → γ) (p : α × β) : γ × β := (f p.1, p.2)

def mapSecond {α β δ : Type} (g : β → δ) (p : α × β) : α × δ := (p.1, g p.2)

def twin {α : Type} (x : α) : α × α := (x, x)

def curried {α β γ : Type} (f : α × β → γ) (x : α) (y : β) : γ := f (x, y)

def uncurried {α β γ : Type} (f : α → β → γ) (p : α × β) : γ := f p.1 p.2

def compose {α β γ : Type} (g : β → γ) (f : α → β) (x : α) : γ := g (f x)

def addPair (p q : Nat × Nat) : Nat × Nat := (p.1 + q.1, p.2 + q.2)

def totalPair (p : Nat × Nat) : Nat := p.1 + p.2

theorem pair_eta {α β : Type} (p : α × β) : (p.1, p.2) = p := by
  cases p with
  | mk a b => rfl

theorem pair_ext {α β : Type} (p q : α × β) (h1 : p.1 = q.1) (h2 : p.2 = q.2) : p = q := by
  cases p
  cases q
  simp_all

theorem swapPair_mk {α β : Type} (a : α) (b : β) : swapPair (a, b) = (b, a) := by
  rfl

theorem swapPair_fst {α β : Type} (p : α × β) : (swapPair p).1 = p.2 := by
  rfl

theorem swapPair_snd {α β : Type} (p : α × β) : (swapPair p).2 = p.1 := by
  rfl

theorem swapPair_swapPair {α β : Type} (p : α × β) : swapPair (swapPair p) = p := by
  cases p with
  | mk a b => rfl

theorem swapPair_inj {α β : Type} (p q : α × β) (h : swapPair p = swapPair q) : p = q := by
  rw [← swapPair_swapPair p, h, swapPair_swapPair]

theorem mapPair_id {α β : Type} (p : α × β) : mapPair (fun a => a) (fun b => b) p = p := by
  cases p with
  | mk a b => rfl

theorem mapPair_swapPair {α β γ δ : Type} (f : α → γ) (g : β → δ) (p : α × β) : swapPair (mapPair f g p) = mapPair g f (swapPair p) := by
  rfl

theorem mapPair_eq_both {α β γ δ : Type} (f : α → γ) (g : β → δ) (p : α × β) : mapPair f g p = mapFirst f (mapSecond g p) := by
  rfl

theorem mapFirst_mapSecond {α β γ δ : Type} (f : α → γ) (g : β → δ) (p : α × β) : mapFirst f (mapSecond g p) = mapSecond g (mapFirst f p) := by
  rfl

theorem mapFirst_swapPair {α β γ : Type} (f : β → γ) (p : α × β) : mapFirst f (swapPair p) = swapPair (mapSecond f p) := by
  rfl

theorem mapFirst_mapFirst {α β γ δ : Type} (f : α → γ) (g : γ → δ) (p : α × β) : mapFirst g (mapFirst f p) = mapFirst (compose g f) p := by
  rfl

theorem mapSecond_id {α β : Type} (p : α × β) : mapSecond (fun b => b) p = p := by
  cases p with
  | mk a b => rfl

theorem twin_fst {α : Type} (x : α) : (twin x).1 = x := by
  rfl

theorem swapPair_twin {α : Type} (x : α) : swapPair (twin x) = twin x := by
  rfl

theorem mapPair_twin {α β : Type} (f : α → β) (x : α) : mapPair f f (twin x) = twin (f x) := by
  rfl

theorem twin_inj {α : Type} (x y : α) (h : twin x = twin y) : x = y := by
  rw [← twin_fst x, h, twin_fst]

theorem curried_uncurried {α β γ : Type} (f : α → β → γ) (x : α) (y : β) : curried (uncurried f) x y = f x y := by
  rfl

theorem uncurried_curried {α β γ : Type} (f : α × β → γ) (p : α × β) : uncurried (curried f) p = f p := by
  cases p with
  | mk a b => rfl

theorem uncurried_mk {α β γ : Type} (f : α → β → γ) (x : α) (y : β) : uncurried f (x, y) = f x y := by
  rfl

theorem uncurried_twin {α γ : Type} (f : α → α → γ) (x : α) : uncurried f (twin x) = f x x := by
  rw [twin, uncurried_mk]

theorem compose_apply {α β γ : Type} (g : β → γ) (f : α → β) (x : α) : compose g f x = g (f x) := by
  rfl

theorem compose_assoc {α β γ δ : Type} (h : γ → δ) (g : β → γ) (f : α → β) (x : α) : compose (compose h g) f x = compose h (compose g f) x := by
  rfl

theorem compose_inj {α β γ : Type} (g : β → γ) (f : α → β) (hg : ∀ x y, g x = g y → x = y) (hf : ∀ x y, f x = f y → x = y) (x y : α) (h : compose g f x = compose g f y) : x = y := by
  apply hf
  apply hg
  exact h

theorem addPair_comm (p q : Nat × Nat) : addPair p q = addPair q p := by
  rw [addPair, addPair, Nat.add_comm p.1, Nat.add_comm p.2]

theorem addPair_assoc (p q r : Nat × Nat) : addPair (addPair p q) r = addPair p (addPair q r) := by
  simp [addPair, Nat.add_assoc]

theorem addPair_zero (p : Nat × Nat) : addPair p (0, 0) = p := by
  cases p with
  | mk a b => rfl

theorem addPair_zero_left (p : Nat × Nat) : addPair (0, 0) p = p := by
  rw [addPair_comm, addPair_zero]

theorem addPair_swapPair (p q : Nat × Nat) : addPair (swapPair p) (swapPair q) = swapPair (addPair p q) := by
  rfl

theorem totalPair_addPair (p q : Nat × Nat) : totalPair (addPair p q) = totalPair p + totalPair q := by
  simp only [totalPair, addPair]
  omega

theorem totalPair_swapPair (p : Nat × Nat) : totalPair (swapPair p) = totalPair p := by
  rw [totalPair, totalPair, swapPair_fst, swapPair_snd, Nat.add_comm]

theorem totalPair_twin (n : Nat) : totalPair (twin n) = n * 2 := by
  rw [mul_two_add]
  rfl

theorem totalPair_zero (p : Nat × Nat) (h : totalPair p = 0) : p = (0, 0) := by
  apply pair_ext
  · simp only [totalPair] at h
    omega
  · simp only [totalPair] at h
    omega

end Stp
