/-
The functions of the TIP 2015 problems in this set, on Lean's own Nat, Int, Bool, List and Prod. Every function is
defined anew by structural recursion, even where core Lean has the same one, so that no core lemma proves a problem by
itself. The benchmark's `plus (succ zero) x` is written `x + 1`; equality of elements is Lean's, made Boolean by
`DecidableEq`. Functions on a type of the benchmark are in that type's namespace. The card lists the names that differ.
-/
namespace Stp.Problems.Tip2015

/-! Nat -/

def plus : Nat → Nat → Nat
  | 0, y => y
  | x + 1, y => plus x y + 1

def times : Nat → Nat → Nat
  | 0, _ => 0
  | x + 1, y => plus y (times x y)

/-- Truncated at zero. -/
def minus : Nat → Nat → Nat
  | 0, _ => 0
  | x + 1, 0 => x + 1
  | x + 1, y + 1 => minus x y

def leq : Nat → Nat → Bool
  | 0, _ => true
  | _ + 1, 0 => false
  | x + 1, y + 1 => leq x y

def lt : Nat → Nat → Bool
  | _, 0 => false
  | 0, _ + 1 => true
  | x + 1, y + 1 => lt x y

def geq (x y : Nat) : Bool := leq y x

def gt (x y : Nat) : Bool := lt y x

def even : Nat → Bool
  | 0 => true
  | x + 1 => !even x

def factorial : Nat → Nat
  | 0 => 1
  | x + 1 => times (x + 1) (factorial x)

def pow (x : Nat) : Nat → Nat
  | 0 => 1
  | y + 1 => times x (pow x y)

/-- Addition by moving successors over. -/
def accPlus : Nat → Nat → Nat
  | 0, y => y
  | x + 1, y => accPlus x (y + 1)

/-- Multiplication by recursion on both factors. -/
def altMul : Nat → Nat → Nat
  | 0, _ => 0
  | _ + 1, 0 => 0
  | x + 1, y + 1 => plus (plus (altMul x y + 1) x) y

def accAltMul : Nat → Nat → Nat
  | 0, _ => 0
  | _ + 1, 0 => 0
  | x + 1, y + 1 => accPlus (x + 1) (accPlus y (accAltMul x y))

/-- `modGo x y z`: the remainder of `x` by `z`, where `y` counts down from `z`. -/
def modGo : Nat → Nat → Nat → Nat
  | _, _, 0 => 0
  | 0, 0, _ + 1 => 0
  | 0, y + 1, z + 1 => minus (z + 1) (y + 1)
  | x + 1, 0, z + 1 => modGo x z (z + 1)
  | x + 1, y + 1, z + 1 => modGo x y (z + 1)

def modStructural (x y : Nat) : Nat := modGo x 0 y

/-! Lists -/

def append {α : Type} : List α → List α → List α
  | [], ys => ys
  | x :: xs, ys => x :: append xs ys

def length {α : Type} : List α → Nat
  | [] => 0
  | _ :: xs => length xs + 1

def reverse {α : Type} : List α → List α
  | [] => []
  | x :: xs => append (reverse xs) [x]

def map {α β : Type} (f : α → β) : List α → List β
  | [] => []
  | x :: xs => f x :: map f xs

def concat {α : Type} : List (List α) → List α
  | [] => []
  | xs :: xss => append xs (concat xss)

def listBind {α β : Type} : List α → (α → List β) → List β
  | [], _ => []
  | x :: xs, f => append (f x) (listBind xs f)

def unit {α : Type} (x : α) : List α := [x]

def all {α : Type} (p : α → Bool) : List α → Bool
  | [] => true
  | x :: xs => p x && all p xs

def orAll : List Bool → Bool
  | [] => false
  | x :: xs => x || orAll xs

def take {α : Type} : Nat → List α → List α
  | 0, _ => []
  | _ + 1, [] => []
  | n + 1, x :: xs => x :: take n xs

def drop {α : Type} : Nat → List α → List α
  | 0, xs => xs
  | _ + 1, [] => []
  | n + 1, _ :: xs => drop n xs

def snoc {α : Type} (x : α) : List α → List α
  | [] => [x]
  | y :: ys => y :: snoc x ys

def rotate {α : Type} : Nat → List α → List α
  | 0, xs => xs
  | _ + 1, [] => []
  | n + 1, x :: xs => rotate n (append xs [x])

def rotateSnoc {α : Type} : Nat → List α → List α
  | 0, xs => xs
  | _ + 1, [] => []
  | n + 1, x :: xs => rotateSnoc n (snoc x xs)

mutual

/-- First, third, fifth … element. -/
def evens {α : Type} : List α → List α
  | [] => []
  | x :: xs => x :: odds xs

def odds {α : Type} : List α → List α
  | [] => []
  | _ :: xs => evens xs

end

def interleave {α : Type} : List α → List α → List α
  | [], ys => ys
  | x :: xs, ys => x :: interleave ys xs
termination_by xs ys => xs.length + ys.length

/-- An odd last element is lost. -/
def pairs {α : Type} : List α → List (α × α)
  | [] => []
  | [_] => []
  | x :: y :: zs => (x, y) :: pairs zs

def unpair {α : Type} : List (α × α) → List α
  | [] => []
  | (x, y) :: rest => x :: y :: unpair rest

def select {α : Type} (x : α) : List (α × List α) → List (α × List α)
  | [] => []
  | (y, ys) :: rest => (y, x :: ys) :: select x rest

/-- Every element with the list without it. -/
def selections {α : Type} : List α → List (α × List α)
  | [] => []
  | x :: xs => (x, xs) :: select x (selections xs)

def consAll {α : Type} : List (α × List α) → List (List α)
  | [] => []
  | (x, xs) :: rest => (x :: xs) :: consAll rest

def elem {α : Type} [DecidableEq α] (x : α) : List α → Bool
  | [] => false
  | y :: ys => decide (y = x) || elem x ys

def count {α : Type} [DecidableEq α] (x : α) : List α → Nat
  | [] => 0
  | y :: ys => if x = y then count x ys + 1 else count x ys

def deleteAll {α : Type} [DecidableEq α] (x : α) : List α → List α
  | [] => []
  | y :: ys => if x = y then deleteAll x ys else y :: deleteAll x ys

/-- Without the first element that `eq x` accepts. -/
def deleteBy {α : Type} (eq : α → α → Bool) (x : α) : List α → List α
  | [] => []
  | y :: ys => if eq x y then ys else y :: deleteBy eq x ys

def isPermutation {α : Type} [DecidableEq α] : List α → List α → Bool
  | [], [] => true
  | [], _ :: _ => false
  | x :: xs, ys => elem x ys && isPermutation xs (deleteBy (fun a b => decide (a = b)) x ys)

/-! Sorting -/

def insertSorted (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if leq x y then x :: y :: ys else y :: insertSorted x ys

def isort : List Nat → List Nat
  | [] => []
  | x :: xs => insertSorted x (isort xs)

def ordered : List Nat → Bool
  | [] => true
  | [_] => true
  | x :: y :: zs => leq x y && ordered (y :: zs)

inductive SearchTree where
  | node : SearchTree → Nat → SearchTree → SearchTree
  | nil : SearchTree
  deriving DecidableEq

def SearchTree.add (x : Nat) : SearchTree → SearchTree
  | .node l y r => if leq x y then .node (SearchTree.add x l) y r else .node l y (SearchTree.add x r)
  | .nil => .node .nil x .nil

def SearchTree.toTree : List Nat → SearchTree
  | [] => .nil
  | x :: xs => SearchTree.add x (SearchTree.toTree xs)

def SearchTree.flatten : SearchTree → List Nat → List Nat
  | .node l x r, ys => SearchTree.flatten l (x :: SearchTree.flatten r ys)
  | .nil, ys => ys

def tsort (xs : List Nat) : List Nat := SearchTree.flatten (SearchTree.toTree xs) []

/-! Trees -/

inductive Tree (α : Type) where
  | node : Tree α → α → Tree α → Tree α
  | nil : Tree α
  deriving DecidableEq

def flatten0 {α : Type} : Tree α → List α
  | .node l x r => append (flatten0 l) (append [x] (flatten0 r))
  | .nil => []

/-- With an accumulator. -/
def flatten2 {α : Type} : Tree α → List α → List α
  | .node l x r, ys => flatten2 l (x :: flatten2 r ys)
  | .nil, ys => ys

/-- Exchanges `a` and `b` wherever they stand. -/
def swap (a b : Int) : Tree Int → Tree Int
  | .node l x r =>
    if x = a then .node (swap a b l) b (swap a b r)
    else if x = b then .node (swap a b l) a (swap a b r)
    else .node (swap a b l) x (swap a b r)
  | .nil => .nil

/-! Binary numbers: one, and the lowest digit first -/

inductive Bin where
  | one : Bin
  | zeroAnd : Bin → Bin
  | oneAnd : Bin → Bin
  deriving DecidableEq

def Bin.s : Bin → Bin
  | .one => .zeroAnd .one
  | .zeroAnd xs => .oneAnd xs
  | .oneAnd xs => .zeroAnd (Bin.s xs)

def Bin.plus : Bin → Bin → Bin
  | .one, y => Bin.s y
  | .zeroAnd xs, .one => Bin.s (.zeroAnd xs)
  | .zeroAnd xs, .zeroAnd ys => .zeroAnd (Bin.plus xs ys)
  | .zeroAnd xs, .oneAnd ys => .oneAnd (Bin.plus xs ys)
  | .oneAnd xs, .one => Bin.s (.oneAnd xs)
  | .oneAnd xs, .zeroAnd ys => .oneAnd (Bin.plus xs ys)
  | .oneAnd xs, .oneAnd ys => .zeroAnd (Bin.s (Bin.plus xs ys))

def Bin.times : Bin → Bin → Bin
  | .one, y => y
  | .zeroAnd xs, y => .zeroAnd (Bin.times xs y)
  | .oneAnd xs, y => Bin.plus (.zeroAnd (Bin.times xs y)) y

def Bin.toNat : Bin → Nat
  | .one => 1
  | .zeroAnd xs => Stp.Problems.Tip2015.plus (Bin.toNat xs) (Bin.toNat xs)
  | .oneAnd xs => Stp.Problems.Tip2015.plus (Bin.toNat xs + 1) (Bin.toNat xs)

/-! Integers: `p n` is n, `n n` is -(n + 1) -/

inductive Integer where
  | p : Nat → Integer
  | n : Nat → Integer
  deriving DecidableEq

inductive Sign where
  | pos : Sign
  | neg : Sign
  deriving DecidableEq

def Integer.zero : Integer := .p 0

def Integer.one : Integer := .p 1

/-- The difference of two naturals. -/
def Integer.difference : Nat → Nat → Integer
  | x, 0 => .p x
  | 0, y + 1 => .n y
  | x + 1, y + 1 => Integer.difference x y

def Integer.neg : Integer → Integer
  | .p 0 => .p 0
  | .p (x + 1) => .n x
  | .n x => .p (x + 1)

def Integer.plus : Integer → Integer → Integer
  | .p x, .p y => .p (Stp.Problems.Tip2015.plus x y)
  | .p x, .n y => Integer.difference x (y + 1)
  | .n x, .p y => Integer.difference y (x + 1)
  | .n x, .n y => .n (Stp.Problems.Tip2015.plus (x + 1) y)

def Integer.sign : Integer → Sign
  | .p _ => .pos
  | .n _ => .neg

def Integer.absVal : Integer → Nat
  | .p x => x
  | .n x => x + 1

def Sign.opposite : Sign → Sign
  | .pos => .neg
  | .neg => .pos

def Sign.times : Sign → Sign → Sign
  | .pos, y => y
  | .neg, y => Sign.opposite y

def Integer.ofSign : Sign → Nat → Integer
  | .pos, x => .p x
  | .neg, 0 => .p 0
  | .neg, x + 1 => .n x

def Integer.times (x y : Integer) : Integer :=
  Integer.ofSign (Sign.times (Integer.sign x) (Integer.sign y))
    (Stp.Problems.Tip2015.times (Integer.absVal x) (Integer.absVal y))

/-! Regular expressions over two letters, by derivatives -/

inductive Letter where
  | x : Letter
  | y : Letter
  deriving DecidableEq

def Letter.equal : Letter → Letter → Bool
  | .x, .x => true
  | .x, .y => false
  | .y, .x => false
  | .y, .y => true

inductive Regexp where
  | nil : Regexp
  | eps : Regexp
  | atom : Letter → Regexp
  | plus : Regexp → Regexp → Regexp
  | seq : Regexp → Regexp → Regexp
  | star : Regexp → Regexp
  deriving DecidableEq

/-- `plus` that leaves out `nil`. -/
def Regexp.smartPlus : Regexp → Regexp → Regexp
  | .nil, q => q
  | p, .nil => p
  | p, q => .plus p q

/-- `seq` that leaves out `nil` and `eps`. -/
def Regexp.smartSeq : Regexp → Regexp → Regexp
  | .nil, _ => .nil
  | _, .nil => .nil
  | .eps, q => q
  | p, .eps => p
  | p, q => .seq p q

/-- Does it accept the empty word? -/
def Regexp.nullable : Regexp → Bool
  | .eps => true
  | .plus p q => Regexp.nullable p || Regexp.nullable q
  | .seq p q => Regexp.nullable p && Regexp.nullable q
  | .star _ => true
  | .nil => false
  | .atom _ => false

def Regexp.epsR (p : Regexp) : Regexp := if Regexp.nullable p then .eps else .nil

/-- The derivative by a letter. -/
def Regexp.step : Regexp → Letter → Regexp
  | .atom a, c => if Letter.equal a c then .eps else .nil
  | .plus p q, c => Regexp.smartPlus (Regexp.step p c) (Regexp.step q c)
  | .seq p q, c =>
    Regexp.smartPlus (Regexp.smartSeq (Regexp.step p c) q) (Regexp.smartSeq (Regexp.epsR p) (Regexp.step q c))
  | .star p, c => Regexp.smartSeq (Regexp.step p c) (.star p)
  | .nil, _ => .nil
  | .eps, _ => .nil

def Regexp.recognise : Regexp → List Letter → Bool
  | p, [] => Regexp.nullable p
  | p, c :: cs => Regexp.recognise (Regexp.step p c) cs

def Regexp.rev : Regexp → Regexp
  | .plus p q => .plus (Regexp.rev p) (Regexp.rev q)
  | .seq p q => .seq (Regexp.rev q) (Regexp.rev p)
  | .star p => .star (Regexp.rev p)
  | .nil => .nil
  | .eps => .eps
  | .atom a => .atom a

def Regexp.deeps : Regexp → Regexp
  | .nil => .nil
  | .eps => .nil
  | .atom a => .atom a
  | .plus p q => .plus (Regexp.deeps p) (Regexp.deeps q)
  | .seq p q =>
    if Regexp.nullable p && Regexp.nullable q then .plus (Regexp.deeps p) (Regexp.deeps q) else .seq p q
  | .star p => Regexp.deeps p

def Regexp.eqList : List Letter → List Letter → Bool
  | [], [] => true
  | [], _ :: _ => false
  | _ :: _, [] => false
  | a :: as, b :: bs => Letter.equal a b && Regexp.eqList as bs

def splitCons {α : Type} (x : α) : List (List α × List α) → List (List α × List α)
  | [] => []
  | (xs, ys) :: rest => (x :: xs, ys) :: splitCons x rest

/-- Every way to cut a list in two. -/
def splits {α : Type} : List α → List (List α × List α)
  | [] => [([], [])]
  | x :: xs => ([], x :: xs) :: splitCons x (splits xs)

def Regexp.recogniseSplits (p q : Regexp) : List (List Letter × List Letter) → List Bool
  | [] => []
  | (s, t) :: rest => (Regexp.recognise p s && Regexp.recognise q t) :: Regexp.recogniseSplits p q rest

/-! Escaping -/

inductive Token where
  | a : Token
  | b : Token
  | c : Token
  | d : Token
  | esc : Token
  | p : Token
  | q : Token
  | r : Token
  deriving DecidableEq

def Token.isSpecial : Token → Bool
  | .esc => true
  | .p => true
  | .q => true
  | .r => true
  | .a => false
  | .b => false
  | .c => false
  | .d => false

def Token.code : Token → Token
  | .esc => .esc
  | .p => .a
  | .q => .b
  | .r => .c
  | .a => .a
  | .b => .b
  | .c => .c
  | .d => .d

def escape : List Token → List Token
  | [] => []
  | x :: xs => if Token.isSpecial x then .esc :: Token.code x :: escape xs else x :: escape xs

def Token.isEsc : Token → Bool
  | .esc => true
  | _ => false

def Token.ok (x : Token) : Bool := !Token.isSpecial x || Token.isEsc x

def allOk : List Token → Bool
  | [] => true
  | x :: xs => Token.ok x && allOk xs

/-! Prefixes with at most one element left out -/

inductive It where
  | a : It
  | b : It
  | c : It
  deriving DecidableEq

def isPrefix : List It → List It → Bool
  | [], _ => true
  | _ :: _, [] => false
  | x :: xs, y :: ys => decide (x = y) && isPrefix xs ys

def isRelaxedPrefix : List It → List It → Bool
  | [], _ => true
  | [_], _ => true
  | _ :: _ :: _, [] => false
  | x :: x' :: xs, y :: ys => if x = y then isRelaxedPrefix (x' :: xs) ys else isPrefix (x' :: xs) (y :: ys)

def removeOneCons (x : It) : List (List It) → List (List It)
  | [] => []
  | xs :: xss => (x :: xs) :: removeOneCons x xss

/-- Every list with one element left out. -/
def removeOne : List It → List (List It)
  | [] => []
  | x :: xs => xs :: removeOneCons x (removeOne xs)

def arePrefixes (ys : List It) : List (List It) → List Bool
  | [] => []
  | xs :: xss => isPrefix xs ys :: arePrefixes ys xss

def relaxedPrefixSpec (xs ys : List It) : Bool := orAll (arePrefixes ys (xs :: removeOne xs))

end Stp.Problems.Tip2015
