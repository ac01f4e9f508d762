/-
The functions of the IsaPlanner problems (TIP benchmarks), one definition each, on Lean's own Nat, Bool, List and Prod.
Every function is defined anew, even where core Lean has the same one, so that no core lemma proves a problem by itself.
Names that SMT-LIB allows and Lean does not: `++` append, `+2` plus, `-2` minus, `<2` lt, `<=2` leq, `==` equal,
`max` natMax, `min` natMin. The benchmark's `&&` is core's.
-/
namespace Stp.Problems.Isaplanner

/-! Nat -/

def plus : Nat → Nat → Nat
  | 0, y => y
  | x + 1, y => plus x y + 1

/-- Truncated at zero. -/
def minus : Nat → Nat → Nat
  | 0, _ => 0
  | x + 1, 0 => x + 1
  | x + 1, y + 1 => minus x y

def lt : Nat → Nat → Bool
  | _, 0 => false
  | 0, _ + 1 => true
  | x + 1, y + 1 => lt x y

def leq : Nat → Nat → Bool
  | 0, _ => true
  | _ + 1, 0 => false
  | x + 1, y + 1 => leq x y

def equal : Nat → Nat → Bool
  | 0, 0 => true
  | 0, _ + 1 => false
  | _ + 1, 0 => false
  | x + 1, y + 1 => equal x y

def natMax : Nat → Nat → Nat
  | 0, y => y
  | x + 1, 0 => x + 1
  | x + 1, y + 1 => natMax x y + 1

def natMin : Nat → Nat → Nat
  | 0, _ => 0
  | _ + 1, 0 => 0
  | x + 1, y + 1 => natMin x y + 1

/-! Lists of anything -/

def append {α : Type} : List α → List α → List α
  | [], ys => ys
  | x :: xs, ys => x :: append xs ys

def len {α : Type} : List α → Nat
  | [] => 0
  | _ :: xs => len xs + 1

def rev {α : Type} : List α → List α
  | [] => []
  | x :: xs => append (rev xs) [x]

def map {α β : Type} (f : α → β) : List α → List β
  | [] => []
  | x :: xs => f x :: map f xs

def filter {α : Type} (p : α → Bool) : List α → List α
  | [] => []
  | x :: xs => if p x then x :: filter p xs else filter p xs

def take {α : Type} : Nat → List α → List α
  | 0, _ => []
  | _ + 1, [] => []
  | n + 1, x :: xs => x :: take n xs

def drop {α : Type} : Nat → List α → List α
  | 0, xs => xs
  | _ + 1, [] => []
  | n + 1, _ :: xs => drop n xs

def takeWhile {α : Type} (p : α → Bool) : List α → List α
  | [] => []
  | x :: xs => if p x then x :: takeWhile p xs else []

def dropWhile {α : Type} (p : α → Bool) : List α → List α
  | [] => []
  | x :: xs => if p x then dropWhile p xs else x :: xs

/-- All but the last. -/
def butlast {α : Type} : List α → List α
  | [] => []
  | [_] => []
  | x :: y :: zs => x :: butlast (y :: zs)

def butlastConcat {α : Type} (xs : List α) : List α → List α
  | [] => butlast xs
  | y :: ys => append xs (butlast (y :: ys))

def zip {α β : Type} : List α → List β → List (α × β)
  | [], _ => []
  | _ :: _, [] => []
  | x :: xs, y :: ys => (x, y) :: zip xs ys

def zipConcat {α β : Type} (x : α) (xs : List α) : List β → List (α × β)
  | [] => []
  | y :: ys => (x, y) :: zip xs ys

/-! Lists of Nat -/

/-- 0 for the empty list. -/
def last : List Nat → Nat
  | [] => 0
  | [x] => x
  | _ :: y :: zs => last (y :: zs)

def lastOfTwo (xs : List Nat) : List Nat → Nat
  | [] => last xs
  | y :: ys => last (y :: ys)

def elem (x : Nat) : List Nat → Bool
  | [] => false
  | y :: ys => if equal x y then true else elem x ys

def count (x : Nat) : List Nat → Nat
  | [] => 0
  | y :: ys => if equal x y then count x ys + 1 else count x ys

/-- Without every `x`. -/
def delete (x : Nat) : List Nat → List Nat
  | [] => []
  | y :: ys => if equal x y then delete x ys else y :: delete x ys

/-- Before the first larger element. -/
def ins (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if lt x y then x :: y :: ys else y :: ins x ys

/-- At the end, unless it is there. -/
def ins1 (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if equal x y then y :: ys else y :: ins1 x ys

/-- Before the first element that is not smaller. -/
def insort (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if leq x y then x :: y :: ys else y :: insort x ys

def sort : List Nat → List Nat
  | [] => []
  | x :: xs => insort x (sort xs)

def sorted : List Nat → Bool
  | [] => true
  | [_] => true
  | x :: y :: zs => leq x y && sorted (y :: zs)

/-! Trees -/

inductive Tree (α : Type) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α
  deriving DecidableEq

def mirror {α : Type} : Tree α → Tree α
  | .leaf => .leaf
  | .node l x r => .node (mirror r) x (mirror l)

def height {α : Type} : Tree α → Nat
  | .leaf => 0
  | .node l _ r => natMax (height l) (height r) + 1

end Stp.Problems.Isaplanner
