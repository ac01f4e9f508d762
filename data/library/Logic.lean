/-! Propositions: swapping, regrouping, negation, implication, quantifiers. -/
namespace Stp

theorem and_flip (p q : Prop) (h : p ∧ q) : q ∧ p := by
  exact ⟨h.2, h.1⟩

theorem and_flip_iff (p q : Prop) : p ∧ q ↔ q ∧ p := by
  constructor
  · exact and_flip p q
  · exact and_flip q p

theorem and_first (p q : Prop) (h : p ∧ q) : p := by
  cases h with
  | intro hp hq => exact hp

theorem and_second (p q : Prop) (h : p ∧ q) : q := by
  cases h with
  | intro hp hq => exact hq

theorem and_regroup (p q r : Prop) (h : (p ∧ q) ∧ r) : p ∧ (q ∧ r) := by
  exact ⟨h.1.1, h.1.2, h.2⟩

theorem and_regroup_back (p q r : Prop) (h : p ∧ (q ∧ r)) : (p ∧ q) ∧ r := by
  exact ⟨⟨h.1, h.2.1⟩, h.2.2⟩

theorem and_regroup_iff (p q r : Prop) : (p ∧ q) ∧ r ↔ p ∧ (q ∧ r) := by
  constructor
  · exact and_regroup p q r
  · exact and_regroup_back p q r

theorem and_same (p : Prop) : p ∧ p ↔ p := by
  constructor
  · exact and_first p p
  · intro hp
    exact ⟨hp, hp⟩

theorem and_mono (p q r s : Prop) (hp : p → r) (hq : q → s) (h : p ∧ q) : r ∧ s := by
  constructor
  · exact hp (and_first p q h)
  · exact hq (and_second p q h)

theorem and_turn (p q r : Prop) (h : p ∧ q ∧ r) : r ∧ p ∧ q := by
  obtain ⟨hp, hq, hr⟩ := h
  exact ⟨hr, hp, hq⟩

theorem and_middle (p q r : Prop) (h : (p ∧ q) ∧ r) : q := by
  exact and_first q r (and_second p (q ∧ r) (and_regroup p q r h))

theorem or_flip (p q : Prop) (h : p ∨ q) : q ∨ p := by
  cases h with
  | inl hp => exact Or.inr hp
  | inr hq => exact Or.inl hq

theorem or_flip_iff (p q : Prop) : p ∨ q ↔ q ∨ p := by
  constructor
  · exact or_flip p q
  · exact or_flip q p

theorem or_same (p : Prop) (h : p ∨ p) : p := by
  cases h with
  | inl hp => exact hp
  | inr hp => exact hp

theorem or_same_iff (p : Prop) : p ∨ p ↔ p := by
  constructor
  · exact or_same p
  · intro hp
    exact Or.inl hp

theorem or_regroup (p q r : Prop) (h : (p ∨ q) ∨ r) : p ∨ (q ∨ r) := by
  cases h with
  | inl hpq =>
    cases hpq with
    | inl hp => exact Or.inl hp
    | inr hq => exact Or.inr (Or.inl hq)
  | inr hr => exact Or.inr (Or.inr hr)

theorem or_mono (p q r s : Prop) (hp : p → r) (hq : q → s) (h : p ∨ q) : r ∨ s := by
  cases h with
  | inl h1 => exact Or.inl (hp h1)
  | inr h2 => exact Or.inr (hq h2)

theorem or_mono_left (p q r : Prop) (hp : p → r) (h : p ∨ q) : r ∨ q := by
  cases h with
  | inl h1 => exact Or.inl (hp h1)
  | inr h2 => exact Or.inr h2

theorem or_elim_imp (p q r : Prop) (hp : p → r) (hq : q → r) : p ∨ q → r := by
  intro h
  exact or_same r (or_mono p q r r hp hq h)

theorem or_skip_false (p : Prop) (h : p ∨ False) : p := by
  cases h with
  | inl hp => exact hp
  | inr hf => exact hf.elim

theorem or_take_right (p q : Prop) (hn : ¬p) (h : p ∨ q) : q := by
  cases h with
  | inl hp => exact (hn hp).elim
  | inr hq => exact hq

theorem or_take_left (p q : Prop) (hn : ¬q) (h : p ∨ q) : p := by
  exact or_take_right q p hn (or_flip p q h)

theorem and_over_or (p q r : Prop) (h : p ∧ (q ∨ r)) : (p ∧ q) ∨ (p ∧ r) := by
  cases h.2 with
  | inl hq => exact Or.inl ⟨h.1, hq⟩
  | inr hr => exact Or.inr ⟨h.1, hr⟩

theorem or_over_and (p q r : Prop) (h : p ∨ (q ∧ r)) : (p ∨ q) ∧ (p ∨ r) := by
  cases h with
  | inl hp => exact ⟨Or.inl hp, Or.inl hp⟩
  | inr hqr => exact ⟨Or.inr hqr.1, Or.inr hqr.2⟩

theorem and_then_or (p q : Prop) (h : p ∧ q) : p ∨ q := by
  exact Or.inl (and_first p q h)

theorem absorb_and (p q : Prop) : p ∧ (p ∨ q) ↔ p := by
  constructor
  · exact and_first p (p ∨ q)
  · intro hp
    exact ⟨hp, Or.inl hp⟩

theorem absorb_or (p q : Prop) : p ∨ (p ∧ q) ↔ p := by
  constructor
  · intro h
    cases h with
    | inl hp => exact hp
    | inr hpq => exact and_first p q hpq
  · intro hp
    exact Or.inl hp

theorem imp_chain (p q r : Prop) (hpq : p → q) (hqr : q → r) : p → r := by
  intro hp
  exact hqr (hpq hp)

theorem imp_chain_three (p q r s : Prop) (h1 : p → q) (h2 : q → r) (h3 : r → s) : p → s := by
  exact imp_chain p q s h1 (imp_chain q r s h2 h3)

theorem imp_exchange (p q r : Prop) (h : p → q → r) : q → p → r := by
  intro hq hp
  exact h hp hq

theorem imp_contract (p q : Prop) (h : p → p → q) : p → q := by
  intro hp
  exact h hp hp

theorem curry_and (p q r : Prop) (h : p ∧ q → r) : p → q → r := by
  intro hp hq
  exact h ⟨hp, hq⟩

theorem uncurry_and (p q r : Prop) (h : p → q → r) : p ∧ q → r := by
  intro hpq
  exact h (and_first p q hpq) (and_second p q hpq)

theorem curry_iff (p q r : Prop) : (p ∧ q → r) ↔ (p → q → r) := by
  constructor
  · exact curry_and p q r
  · exact uncurry_and p q r

theorem imp_and_split (p q r : Prop) (h : p → q ∧ r) : (p → q) ∧ (p → r) := by
  constructor
  · intro hp
    exact (h hp).1
  · intro hp
    exact (h hp).2

theorem modus_tollens (p q : Prop) (h : p → q) (hq : ¬q) : ¬p := by
  intro hp
  exact hq (h hp)

theorem double_not_intro (p : Prop) (hp : p) : ¬¬p := by
  intro hn
  exact hn hp

theorem triple_not (p : Prop) (h : ¬¬¬p) : ¬p := by
  exact modus_tollens p (¬¬p) (double_not_intro p) h

theorem not_both (p : Prop) : ¬(p ∧ ¬p) := by
  intro h
  exact h.2 h.1

theorem not_or_left (p q : Prop) (h : ¬(p ∨ q)) : ¬p := by
  intro hp
  exact h (Or.inl hp)

theorem not_or_right (p q : Prop) (h : ¬(p ∨ q)) : ¬q := by
  intro hq
  exact h (Or.inr hq)

theorem not_or_both (p q : Prop) (h : ¬(p ∨ q)) : ¬p ∧ ¬q := by
  constructor
  · exact not_or_left p q h
  · exact not_or_right p q h

theorem neither_gives_not_or (p q : Prop) (h : ¬p ∧ ¬q) : ¬(p ∨ q) := by
  intro hpq
  cases hpq with
  | inl hp => exact h.1 hp
  | inr hq => exact h.2 hq

theorem neither_iff (p q : Prop) : ¬(p ∨ q) ↔ ¬p ∧ ¬q := by
  constructor
  · exact not_or_both p q
  · exact neither_gives_not_or p q

theorem contradiction_any (p q : Prop) (hp : p) (hn : ¬p) : q := by
  exact (hn hp).elim

theorem excluded_twice (p : Prop) : ¬¬(p ∨ ¬p) := by
  intro h
  exact not_or_right p (¬p) h (not_or_left p (¬p) h)

theorem iff_flip (p q : Prop) (h : p ↔ q) : q ↔ p := by
  exact ⟨h.2, h.1⟩

theorem iff_chain (p q r : Prop) (h1 : p ↔ q) (h2 : q ↔ r) : p ↔ r := by
  constructor
  · exact imp_chain p q r h1.1 h2.1
  · exact imp_chain r q p h2.2 h1.2

theorem iff_not (p q : Prop) (h : p ↔ q) : ¬p ↔ ¬q := by
  constructor
  · exact modus_tollens q p h.2
  · exact modus_tollens p q h.1

theorem iff_and_left (p q r : Prop) (h : p ↔ q) : p ∧ r ↔ q ∧ r := by
  rw [h]

theorem forall_and_split {α : Type} (p q : α → Prop) (h : ∀ x, p x ∧ q x) : (∀ x, p x) ∧ (∀ x, q x) := by
  constructor
  · intro x
    exact (h x).1
  · intro x
    exact (h x).2

theorem forall_mono {α : Type} (p q : α → Prop) (h : ∀ x, p x → q x) (hp : ∀ x, p x) : ∀ x, q x := by
  intro x
  exact h x (hp x)

theorem exists_mono {α : Type} (p q : α → Prop) (h : ∀ x, p x → q x) (hp : ∃ x, p x) : ∃ x, q x := by
  obtain ⟨x, hx⟩ := hp
  exact ⟨x, h x hx⟩

theorem exists_and_first {α : Type} (p q : α → Prop) (h : ∃ x, p x ∧ q x) : ∃ x, p x := by
  exact exists_mono (fun x => p x ∧ q x) p (fun x hx => hx.1) h

theorem exists_or_split {α : Type} (p q : α → Prop) (h : ∃ x, p x ∨ q x) : (∃ x, p x) ∨ (∃ x, q x) := by
  obtain ⟨x, hx⟩ := h
  cases hx with
  | inl hp => exact Or.inl ⟨x, hp⟩
  | inr hq => exact Or.inr ⟨x, hq⟩

theorem none_means_all_not {α : Type} (p : α → Prop) (h : ¬∃ x, p x) : ∀ x, ¬p x := by
  intro x hx
  exact h ⟨x, hx⟩

theorem all_not_means_none {α : Type} (p : α → Prop) (h : ∀ x, ¬p x) : ¬∃ x, p x := by
  intro hp
  obtain ⟨x, hx⟩ := hp
  exact h x hx

theorem none_iff_all_not {α : Type} (p : α → Prop) : (¬∃ x, p x) ↔ ∀ x, ¬p x := by
  constructor
  · exact none_means_all_not p
  · exact all_not_means_none p

theorem equal_flip {α : Type} (a b : α) (h : a = b) : b = a := by
  rw [h]

theorem equal_chain {α : Type} (a b c : α) (h1 : a = b) (h2 : b = c) : a = c := by
  rw [h1, h2]

theorem equal_apply {α β : Type} (f : α → β) (a b : α) (h : a = b) : f a = f b := by
  rw [h]

theorem unequal_flip {α : Type} (a b : α) (h : a ≠ b) : b ≠ a := by
  intro hba
  exact h (equal_flip b a hba)

end Stp
