import Shelf.Basic

namespace Shelf.Tree
variable {α : Type u} {β : Type v} {γ : Type w}

@[simp] theorem size_leaf : (leaf : Tree α).size = 0 := rfl
@[simp] theorem size_node (l : Tree α) (x : α) (r : Tree α) : (node l x r).size = l.size + 1 + r.size := rfl
@[simp] theorem height_leaf : (leaf : Tree α).height = 0 := rfl
@[simp] theorem flip_leaf : (leaf : Tree α).flip = leaf := rfl
@[simp] theorem flip_node (l : Tree α) (x : α) (r : Tree α) : (node l x r).flip = node r.flip x l.flip := rfl
@[simp] theorem size_flip (t : Tree α) : t.flip.size = t.size := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [ihl, ihr]; omega
@[simp] theorem height_flip (t : Tree α) : t.flip.height = t.height := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [height, ihl, ihr, Nat.max_comm]
@[simp] theorem flip_flip (t : Tree α) : t.flip.flip = t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [ihl, ihr]
theorem flip_injective {s t : Tree α} (h : s.flip = t.flip) : s = t := by
  rw [← flip_flip s, h, flip_flip]
@[simp] theorem map_leaf (f : α → β) : (leaf : Tree α).map f = leaf := rfl
@[simp] theorem size_map (f : α → β) (t : Tree α) : (t.map f).size = t.size := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [map, ihl, ihr]
@[simp] theorem height_map (f : α → β) (t : Tree α) : (t.map f).height = t.height := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [map, height, ihl, ihr]
theorem map_id (t : Tree α) : t.map id = t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [map, ihl, ihr]
theorem map_map (g : β → γ) (f : α → β) (t : Tree α) : (t.map f).map g = t.map (g ∘ f) := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [map, ihl, ihr]
theorem map_flip (f : α → β) (t : Tree α) : t.flip.map f = (t.map f).flip := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [map, ihl, ihr]
@[simp] theorem values_leaf : (leaf : Tree α).values = [] := rfl
@[simp] theorem length_values (t : Tree α) : t.values.length = t.size := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [values, ihl, ihr]; omega
theorem values_flip (t : Tree α) : t.flip.values = t.values.reverse := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [values, ihl, ihr]
theorem values_map (f : α → β) (t : Tree α) : (t.map f).values = t.values.map f := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [map, values, ihl, ihr]
theorem height_le_size (t : Tree α) : t.height ≤ t.size := by
  induction t with
  | leaf => exact Nat.le_refl 0
  | node l x r ihl ihr => simp [height]; omega

end Shelf.Tree
