import Stp.Fold
/-! Binary trees: size, height, mirror image, orders of visit, mapping, sums, searching. -/
namespace Stp

inductive Tree (α : Type) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α

export Tree (leaf node)

def size {α : Type} : Tree α → Nat
  | leaf => 0
  | node l _ r => size l + size r + 1

def height {α : Type} : Tree α → Nat
  | leaf => 0
  | node l _ r => maximum (height l) (height r) + 1

def leaves {α : Type} : Tree α → Nat
  | leaf => 1
  | node l _ r => leaves l + leaves r

def mirror {α : Type} : Tree α → Tree α
  | leaf => leaf
  | node l x r => node (mirror r) x (mirror l)

def flatten {α : Type} : Tree α → List α
  | leaf => []
  | node l x r => app (flatten l) (x :: flatten r)

def preorder {α : Type} : Tree α → List α
  | leaf => []
  | node l x r => x :: app (preorder l) (preorder r)

def postorder {α : Type} : Tree α → List α
  | leaf => []
  | node l x r => app (postorder l) (app (postorder r) [x])

def mapTree {α β : Type} (f : α → β) : Tree α → Tree β
  | leaf => leaf
  | node l x r => node (mapTree f l) (f x) (mapTree f r)

def sumTree : Tree Nat → Nat
  | leaf => 0
  | node l n r => sumTree l + n + sumTree r

def allTree {α : Type} (p : α → Bool) : Tree α → Bool
  | leaf => true
  | node l x r => andb (p x) (andb (allTree p l) (allTree p r))

def anyTree {α : Type} (p : α → Bool) : Tree α → Bool
  | leaf => false
  | node l x r => orb (p x) (orb (anyTree p l) (anyTree p r))

def spine {α : Type} : List α → Tree α
  | [] => leaf
  | x :: xs => node leaf x (spine xs)

def full {α : Type} (x : α) : Nat → Tree α
  | 0 => leaf
  | n + 1 => node (full x n) x (full x n)

def flattenOnto {α : Type} : Tree α → List α → List α
  | leaf, ys => ys
  | node l x r, ys => flattenOnto l (x :: flattenOnto r ys)

theorem size_leaf {α : Type} : size (leaf : Tree α) = 0 := by
  rfl

theorem size_node {α : Type} (l r : Tree α) (x : α) : size (node l x r) = size l + size r + 1 := by
  rfl

theorem height_leaf {α : Type} : height (leaf : Tree α) = 0 := by
  rfl

theorem height_node {α : Type} (l r : Tree α) (x : α) : height (node l x r) = maximum (height l) (height r) + 1 := by
  rfl

theorem leaves_node {α : Type} (l r : Tree α) (x : α) : leaves (node l x r) = leaves l + leaves r := by
  rfl

theorem mirror_node {α : Type} (l r : Tree α) (x : α) : mirror (node l x r) = node (mirror r) x (mirror l) := by
  rfl

theorem mirror_mirror {α : Type} (t : Tree α) : mirror (mirror t) = t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mirror_node, mirror_node, ihl, ihr]

theorem mirror_inj {α : Type} (s t : Tree α) (h : mirror s = mirror t) : s = t := by
  rw [← mirror_mirror s, h, mirror_mirror]

theorem size_mirror {α : Type} (t : Tree α) : size (mirror t) = size t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mirror_node, size_node, size_node, ihl, ihr, Nat.add_comm (size r)]

theorem leaves_mirror {α : Type} (t : Tree α) : leaves (mirror t) = leaves t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mirror_node, leaves_node, leaves_node, ihl, ihr, Nat.add_comm]

theorem leaves_eq_size_succ {α : Type} (t : Tree α) : leaves t = size t + 1 := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr =>
    rw [leaves_node, size_node, ihl, ihr]
    omega

theorem leaves_pos {α : Type} (t : Tree α) : 0 < leaves t := by
  rw [leaves_eq_size_succ]
  omega

theorem height_le_size {α : Type} (t : Tree α) : height t ≤ size t := by
  induction t with
  | leaf => exact Nat.le_refl 0
  | node l x r ihl ihr =>
    have := maximum_le_add (height l) (height r)
    rw [height_node, size_node]
    omega

theorem height_lt_leaves {α : Type} (t : Tree α) : height t < leaves t := by
  have := height_le_size t
  rw [leaves_eq_size_succ]
  omega

theorem size_eq_zero {α : Type} (t : Tree α) (h : size t = 0) : t = leaf := by
  cases t with
  | leaf => rfl
  | node l x r =>
    rw [size_node] at h
    omega

theorem height_eq_zero {α : Type} (t : Tree α) (h : height t = 0) : t = leaf := by
  cases t with
  | leaf => rfl
  | node l x r =>
    rw [height_node] at h
    omega

theorem height_node_left {α : Type} (l r : Tree α) (x : α) : height l < height (node l x r) := by
  have := le_maximum_left (height l) (height r)
  rw [height_node]
  omega

theorem height_node_right {α : Type} (l r : Tree α) (x : α) : height r < height (node l x r) := by
  have := le_maximum_right (height l) (height r)
  rw [height_node]
  omega

theorem flatten_leaf {α : Type} : flatten (leaf : Tree α) = [] := by
  rfl

theorem flatten_node {α : Type} (l r : Tree α) (x : α) : flatten (node l x r) = app (flatten l) (x :: flatten r) := by
  rfl

theorem len_flatten {α : Type} (t : Tree α) : len (flatten t) = size t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr =>
    rw [flatten_node, len_app, len_cons, ihl, ihr, size_node]
    omega

theorem flatten_mirror {α : Type} (t : Tree α) : flatten (mirror t) = rev (flatten t) := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mirror_node, flatten_node, flatten_node, rev_app, rev_cons, ihl, ihr, app_singleton_app]

theorem len_flatten_mirror {α : Type} (t : Tree α) : len (flatten (mirror t)) = size t := by
  rw [len_flatten, size_mirror]

theorem flatten_eq_nil {α : Type} (t : Tree α) (h : flatten t = []) : t = leaf := by
  cases t with
  | leaf => rfl
  | node l x r => exact (app_ne_nil (flatten l) (flatten r) x h).elim

theorem preorder_node {α : Type} (l r : Tree α) (x : α) : preorder (node l x r) = x :: app (preorder l) (preorder r) := by
  rfl

theorem postorder_node {α : Type} (l r : Tree α) (x : α) : postorder (node l x r) = app (postorder l) (app (postorder r) [x]) := by
  rfl

theorem len_preorder {α : Type} (t : Tree α) : len (preorder t) = size t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [preorder_node, len_cons, len_app, ihl, ihr, size_node]

theorem len_postorder {α : Type} (t : Tree α) : len (postorder t) = size t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr =>
    rw [postorder_node, len_app, len_app, len_singleton, ihl, ihr, size_node]
    omega

theorem preorder_mirror {α : Type} (t : Tree α) : preorder (mirror t) = rev (postorder t) := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mirror_node, preorder_node, postorder_node, rev_app, rev_app_singleton, app_cons, ihl, ihr]

theorem postorder_mirror {α : Type} (t : Tree α) : postorder (mirror t) = rev (preorder t) := by
  rw [← rev_rev (postorder (mirror t)), ← preorder_mirror, mirror_mirror]

theorem len_preorder_mirror {α : Type} (t : Tree α) : len (preorder (mirror t)) = size t := by
  rw [preorder_mirror, len_rev, len_postorder]

theorem mapTree_node {α β : Type} (f : α → β) (l r : Tree α) (x : α) : mapTree f (node l x r) = node (mapTree f l) (f x) (mapTree f r) := by
  rfl

theorem mapTree_id {α : Type} (t : Tree α) : mapTree (fun x => x) t = t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mapTree_node, ihl, ihr]

theorem mapTree_mapTree {α β γ : Type} (f : α → β) (g : β → γ) (t : Tree α) : mapTree g (mapTree f t) = mapTree (compose g f) t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mapTree_node, mapTree_node, mapTree_node, ihl, ihr, compose_apply]

theorem mapTree_mirror {α β : Type} (f : α → β) (t : Tree α) : mapTree f (mirror t) = mirror (mapTree f t) := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mirror_node, mapTree_node, mapTree_node, mirror_node, ihl, ihr]

theorem mapTree_inverse {α β : Type} (f : α → β) (g : β → α) (h : ∀ x, g (f x) = x) (t : Tree α) : mapTree g (mapTree f t) = t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mapTree_node, mapTree_node, ihl, ihr, h]

theorem size_mapTree {α β : Type} (f : α → β) (t : Tree α) : size (mapTree f t) = size t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mapTree_node, size_node, size_node, ihl, ihr]

theorem height_mapTree {α β : Type} (f : α → β) (t : Tree α) : height (mapTree f t) = height t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mapTree_node, height_node, height_node, ihl, ihr]

theorem leaves_mapTree {α β : Type} (f : α → β) (t : Tree α) : leaves (mapTree f t) = leaves t := by
  rw [leaves_eq_size_succ, size_mapTree, leaves_eq_size_succ]

theorem flatten_mapTree {α β : Type} (f : α → β) (t : Tree α) : flatten (mapTree f t) = mapl f (flatten t) := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mapTree_node, flatten_node, flatten_node, mapl_app, mapl_cons, ihl, ihr]

theorem preorder_mapTree {α β : Type} (f : α → β) (t : Tree α) : preorder (mapTree f t) = mapl f (preorder t) := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mapTree_node, preorder_node, preorder_node, mapl_cons, mapl_app, ihl, ihr]

theorem flatten_mapTree_mirror {α β : Type} (f : α → β) (t : Tree α) : flatten (mapTree f (mirror t)) = rev (mapl f (flatten t)) := by
  rw [flatten_mapTree, flatten_mirror, mapl_rev]

theorem size_mapTree_mirror {α β : Type} (f : α → β) (t : Tree α) : size (mapTree f (mirror t)) = size t := by
  rw [size_mapTree, size_mirror]

theorem sumTree_node (l r : Tree Nat) (n : Nat) : sumTree (node l n r) = sumTree l + n + sumTree r := by
  rfl

theorem sumTree_mirror (t : Tree Nat) : sumTree (mirror t) = sumTree t := by
  induction t with
  | leaf => rfl
  | node l n r ihl ihr =>
    rw [mirror_node, sumTree_node, sumTree_node, ihl, ihr]
    omega

theorem sumTree_flatten (t : Tree Nat) : sumTree t = sumList (flatten t) := by
  induction t with
  | leaf => rfl
  | node l n r ihl ihr => rw [sumTree_node, flatten_node, sumList_app, sumList_cons, ihl, ihr, Nat.add_assoc]

theorem sumTree_double (t : Tree Nat) : sumTree (mapTree double t) = double (sumTree t) := by
  rw [sumTree_flatten, flatten_mapTree, sumList_mapl_double, sumTree_flatten]

theorem sumTree_succ (t : Tree Nat) : sumTree (mapTree (fun n => n + 1) t) = sumTree t + size t := by
  induction t with
  | leaf => rfl
  | node l n r ihl ihr =>
    rw [mapTree_node, sumTree_node, ihl, ihr, sumTree_node, size_node]
    omega

theorem sumTree_const {α : Type} (c : Nat) (t : Tree α) : sumTree (mapTree (fun _ => c) t) = size t * c := by
  rw [sumTree_flatten, flatten_mapTree, sumList_mapl_const, len_flatten]

theorem sumTree_one {α : Type} (t : Tree α) : sumTree (mapTree (fun _ => 1) t) = size t := by
  rw [sumTree_const, Nat.mul_one]

theorem sumTree_preorder (t : Tree Nat) : sumList (preorder t) = sumTree t := by
  induction t with
  | leaf => rfl
  | node l n r ihl ihr =>
    rw [preorder_node, sumList_cons, sumList_app, ihl, ihr, sumTree_node]
    omega

theorem allTree_node {α : Type} (p : α → Bool) (l r : Tree α) (x : α) : allTree p (node l x r) = andb (p x) (andb (allTree p l) (allTree p r)) := by
  rfl

theorem allTree_mirror {α : Type} (p : α → Bool) (t : Tree α) : allTree p (mirror t) = allTree p t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mirror_node, allTree_node, allTree_node, ihl, ihr, andb_comm (allTree p r)]

theorem allTree_preorder {α : Type} (p : α → Bool) (t : Tree α) : allTree p t = allb p (preorder t) := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [allTree_node, preorder_node, allb_cons, allb_app, ihl, ihr]

theorem allTree_flatten {α : Type} (p : α → Bool) (t : Tree α) : allTree p t = allb p (flatten t) := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [allTree_node, flatten_node, allb_app, allb_cons, andb_left_comm, ihl, ihr]

theorem allTree_mapTree {α β : Type} (p : β → Bool) (f : α → β) (t : Tree α) : allTree p (mapTree f t) = allTree (compose p f) t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mapTree_node, allTree_node, allTree_node, ihl, ihr, compose_apply]

theorem allTree_true {α : Type} (t : Tree α) : allTree (fun _ => true) t = true := by
  rw [allTree_flatten, allb_true]

theorem anyTree_node {α : Type} (p : α → Bool) (l r : Tree α) (x : α) : anyTree p (node l x r) = orb (p x) (orb (anyTree p l) (anyTree p r)) := by
  rfl

theorem anyTree_mirror {α : Type} (p : α → Bool) (t : Tree α) : anyTree p (mirror t) = anyTree p t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [mirror_node, anyTree_node, anyTree_node, ihl, ihr, orb_comm (anyTree p r)]

theorem anyTree_flatten {α : Type} (p : α → Bool) (t : Tree α) : anyTree p t = anyb p (flatten t) := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [anyTree_node, flatten_node, anyb_app, anyb_cons, orb_left_comm, ihl, ihr]

theorem notb_allTree {α : Type} (p : α → Bool) (t : Tree α) : notb (allTree p t) = anyTree (fun x => notb (p x)) t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => rw [allTree_node, notb_andb, notb_andb, ihl, ihr, anyTree_node]

theorem flatten_spine {α : Type} (xs : List α) : flatten (spine xs) = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [spine, flatten_node, ih]
    rfl

theorem size_spine {α : Type} (xs : List α) : size (spine xs) = len xs := by
  rw [← len_flatten, flatten_spine]

theorem height_spine {α : Type} (xs : List α) : height (spine xs) = len xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [spine, height_node, height_leaf, maximum_zero_left, ih, len_cons]

theorem sumTree_spine (ns : List Nat) : sumTree (spine ns) = sumList ns := by
  rw [sumTree_flatten, flatten_spine]

theorem flatten_mirror_spine {α : Type} (xs : List α) : flatten (mirror (spine xs)) = rev xs := by
  rw [flatten_mirror, flatten_spine]

theorem full_succ {α : Type} (x : α) (n : Nat) : full x (n + 1) = node (full x n) x (full x n) := by
  rfl

theorem height_full {α : Type} (x : α) (n : Nat) : height (full x n) = n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [full_succ, height_node, ih, maximum_self]

theorem mirror_full {α : Type} (x : α) (n : Nat) : mirror (full x n) = full x n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [full_succ, mirror_node, ih]

theorem mapTree_full {α β : Type} (f : α → β) (x : α) (n : Nat) : mapTree f (full x n) = full (f x) n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [full_succ, mapTree_node, ih, full_succ]

theorem leaves_full {α : Type} (x : α) (n : Nat) : leaves (full x n) = power 2 n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [full_succ, leaves_node, ih, power_two_add_self]

theorem size_full {α : Type} (x : α) (n : Nat) : size (full x n) + 1 = power 2 n := by
  rw [← leaves_eq_size_succ, leaves_full]

theorem flattenOnto_node {α : Type} (l r : Tree α) (x : α) (ys : List α) : flattenOnto (node l x r) ys = flattenOnto l (x :: flattenOnto r ys) := by
  rfl

theorem flattenOnto_app {α : Type} (t : Tree α) (ys zs : List α) : flattenOnto t (app ys zs) = app (flattenOnto t ys) zs := by
  induction t generalizing ys with
  | leaf => rfl
  | node l x r ihl ihr => rw [flattenOnto_node, ihr, ← app_cons, ihl, flattenOnto_node]

theorem len_flattenOnto {α : Type} (t : Tree α) (ys : List α) : len (flattenOnto t ys) = size t + len ys := by
  induction t generalizing ys with
  | leaf => rw [flattenOnto, size_leaf, Nat.zero_add]
  | node l x r ihl ihr =>
    rw [flattenOnto_node, ihl, len_cons, ihr, size_node]
    omega

end Stp
