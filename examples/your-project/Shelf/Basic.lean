/-! Definitions of the example: running totals of lists, and trees. Theorems about them stand in other modules. -/

namespace Shelf

/-- The sum of a list. -/
def total : List Nat → Nat
  | [] => 0
  | x :: xs => x + total xs

/-- Every element twice. -/
def twice {α : Type u} : List α → List α
  | [] => []
  | x :: xs => x :: x :: twice xs

/-- The list with `a` behind every element. -/
def spread {α : Type u} (a : α) : List α → List α
  | [] => []
  | x :: xs => x :: a :: spread a xs

inductive Tree (α : Type u) where
  | leaf
  | node (left : Tree α) (value : α) (right : Tree α)

namespace Tree

def size {α : Type u} : Tree α → Nat
  | leaf => 0
  | node l _ r => size l + 1 + size r

def height {α : Type u} : Tree α → Nat
  | leaf => 0
  | node l _ r => max (height l) (height r) + 1

def flip {α : Type u} : Tree α → Tree α
  | leaf => leaf
  | node l x r => node (flip r) x (flip l)

def map {α : Type u} {β : Type v} (f : α → β) : Tree α → Tree β
  | leaf => leaf
  | node l x r => node (map f l) (f x) (map f r)

/-- The values from left to right. -/
def values {α : Type u} : Tree α → List α
  | leaf => []
  | node l x r => values l ++ x :: values r

end Tree
end Shelf
