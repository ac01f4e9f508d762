import Stp.NatList
/-! Arithmetic expressions: evaluation, rewriting that keeps the value, a stack machine. -/
namespace Stp

inductive Expr where
  | num : Nat → Expr
  | plus : Expr → Expr → Expr
  | times : Expr → Expr → Expr

export Expr (num plus times)

def eval : Expr → Nat
  | num n => n
  | plus a b => eval a + eval b
  | times a b => eval a * eval b

def turn : Expr → Expr
  | num n => num n
  | plus a b => plus (turn b) (turn a)
  | times a b => times (turn b) (turn a)

def nodes : Expr → Nat
  | num _ => 1
  | plus a b => nodes a + nodes b + 1
  | times a b => nodes a + nodes b + 1

def numbers : Expr → List Nat
  | num n => [n]
  | plus a b => app (numbers a) (numbers b)
  | times a b => app (numbers a) (numbers b)

def doubled : Expr → Expr
  | num n => num (double n)
  | plus a b => plus (doubled a) (doubled b)
  | times a b => times (doubled a) b

def sumExpr : List Nat → Expr
  | [] => num 0
  | n :: ns => plus (num n) (sumExpr ns)

def onlyPlus : Expr → Bool
  | num _ => true
  | plus a b => andb (onlyPlus a) (onlyPlus b)
  | times _ _ => false

theorem eval_num (n : Nat) : eval (num n) = n := by
  rfl

theorem eval_plus (a b : Expr) : eval (plus a b) = eval a + eval b := by
  rfl

theorem eval_times (a b : Expr) : eval (times a b) = eval a * eval b := by
  rfl

theorem eval_plus_comm (a b : Expr) : eval (plus a b) = eval (plus b a) := by
  rw [eval_plus, eval_plus, Nat.add_comm]

theorem eval_times_comm (a b : Expr) : eval (times a b) = eval (times b a) := by
  rw [eval_times, eval_times, Nat.mul_comm]

theorem eval_plus_assoc (a b c : Expr) : eval (plus (plus a b) c) = eval (plus a (plus b c)) := by
  rw [eval_plus, eval_plus, eval_plus, eval_plus, Nat.add_assoc]

theorem eval_plus_zero (a : Expr) : eval (plus a (num 0)) = eval a := by
  rw [eval_plus, eval_num, Nat.add_zero]

theorem eval_times_one (a : Expr) : eval (times a (num 1)) = eval a := by
  rw [eval_times, eval_num, Nat.mul_one]

theorem eval_times_zero (a : Expr) : eval (times a (num 0)) = 0 := by
  rw [eval_times, eval_num, Nat.mul_zero]

theorem eval_times_plus (a b c : Expr) : eval (times a (plus b c)) = eval (plus (times a b) (times a c)) := by
  rw [eval_times, eval_plus, eval_plus, eval_times, eval_times, Nat.mul_add]

theorem eval_plus_self (a : Expr) : eval (plus a a) = double (eval a) := by
  rw [eval_plus, double_eq_add]

theorem eval_times_self (a : Expr) : eval (times a a) = square (eval a) := by
  rw [eval_times, square]

theorem eval_turn (e : Expr) : eval (turn e) = eval e := by
  induction e with
  | num n => rfl
  | plus a b iha ihb => rw [turn, eval_plus, iha, ihb, eval_plus, Nat.add_comm]
  | times a b iha ihb => rw [turn, eval_times, iha, ihb, eval_times, Nat.mul_comm]

theorem turn_turn (e : Expr) : turn (turn e) = e := by
  induction e with
  | num n => rfl
  | plus a b iha ihb => rw [turn, turn, iha, ihb]
  | times a b iha ihb => rw [turn, turn, iha, ihb]

theorem turn_inj (a b : Expr) (h : turn a = turn b) : a = b := by
  rw [← turn_turn a, h, turn_turn]

theorem nodes_plus (a b : Expr) : nodes (plus a b) = nodes a + nodes b + 1 := by
  rfl

theorem nodes_times (a b : Expr) : nodes (times a b) = nodes a + nodes b + 1 := by
  rfl

theorem nodes_turn (e : Expr) : nodes (turn e) = nodes e := by
  induction e with
  | num n => rfl
  | plus a b iha ihb => rw [turn, nodes_plus, iha, ihb, nodes_plus, Nat.add_comm (nodes b)]
  | times a b iha ihb => rw [turn, nodes_times, iha, ihb, nodes_times, Nat.add_comm (nodes b)]

theorem nodes_pos (e : Expr) : 0 < nodes e := by
  cases e with
  | num n => exact Nat.one_pos
  | plus a b =>
    rw [nodes_plus]
    omega
  | times a b =>
    rw [nodes_times]
    omega

theorem oddb_nodes (e : Expr) : oddb (nodes e) = true := by
  induction e with
  | num n => rfl
  | plus a b iha ihb =>
    rw [nodes_plus, oddb_succ, oddb_add, iha, ihb]
    rfl
  | times a b iha ihb =>
    rw [nodes_times, oddb_succ, oddb_add, iha, ihb]
    rfl

theorem numbers_plus (a b : Expr) : numbers (plus a b) = app (numbers a) (numbers b) := by
  rfl

theorem numbers_times (a b : Expr) : numbers (times a b) = app (numbers a) (numbers b) := by
  rfl

theorem numbers_turn (e : Expr) : numbers (turn e) = rev (numbers e) := by
  induction e with
  | num n => rfl
  | plus a b iha ihb => rw [turn, numbers_plus, iha, ihb, numbers_plus, rev_app]
  | times a b iha ihb => rw [turn, numbers_times, iha, ihb, numbers_times, rev_app]

theorem nodes_eq_numbers (e : Expr) : nodes e + 1 = double (len (numbers e)) := by
  induction e with
  | num n => rfl
  | plus a b iha ihb =>
    rw [numbers_plus, len_app, double_add, ← iha, ← ihb, nodes_plus]
    omega
  | times a b iha ihb =>
    rw [numbers_times, len_app, double_add, ← iha, ← ihb, nodes_times]
    omega

theorem eval_doubled (e : Expr) : eval (doubled e) = double (eval e) := by
  induction e with
  | num n => rfl
  | plus a b iha ihb => rw [doubled, eval_plus, iha, ihb, eval_plus, double_add]
  | times a b iha ihb => rw [doubled, eval_times, iha, eval_times, double_mul]

theorem evenb_eval_doubled (e : Expr) : evenb (eval (doubled e)) = true := by
  rw [eval_doubled, evenb_double]

theorem nodes_doubled (e : Expr) : nodes (doubled e) = nodes e := by
  induction e with
  | num n => rfl
  | plus a b iha ihb => rw [doubled, nodes_plus, iha, ihb, nodes_plus]
  | times a b iha ihb => rw [doubled, nodes_times, iha, nodes_times]

theorem eval_sumExpr (ns : List Nat) : eval (sumExpr ns) = sumList ns := by
  induction ns with
  | nil => rfl
  | cons n ns ih => rw [sumExpr, eval_plus, ih, eval_num, sumList_cons]

theorem numbers_sumExpr (ns : List Nat) : numbers (sumExpr ns) = snoc ns 0 := by
  induction ns with
  | nil => rfl
  | cons n ns ih =>
    rw [sumExpr, numbers_plus, ih]
    rfl

theorem onlyPlus_plus (a b : Expr) : onlyPlus (plus a b) = andb (onlyPlus a) (onlyPlus b) := by
  rfl

theorem onlyPlus_sumExpr (ns : List Nat) : onlyPlus (sumExpr ns) = true := by
  induction ns with
  | nil => rfl
  | cons n ns ih =>
    rw [sumExpr, onlyPlus_plus, ih]
    rfl

theorem onlyPlus_turn (e : Expr) : onlyPlus (turn e) = onlyPlus e := by
  induction e with
  | num n => rfl
  | plus a b iha ihb => rw [turn, onlyPlus_plus, iha, ihb, onlyPlus_plus, andb_comm]
  | times a b iha ihb => rfl

theorem onlyPlus_eval (e : Expr) (h : onlyPlus e = true) : eval e = sumList (numbers e) := by
  induction e with
  | num n => rfl
  | plus a b iha ihb =>
    rw [onlyPlus_plus, andb_true_iff] at h
    rw [eval_plus, iha h.1, ihb h.2, numbers_plus, sumList_app]
  | times a b iha ihb => contradiction

inductive Code where
  | push : Nat → Code
  | addTop : Code
  | mulTop : Code

export Code (push addTop mulTop)

def step : Code → List Nat → List Nat
  | push n, ns => n :: ns
  | addTop, b :: a :: ns => (a + b) :: ns
  | mulTop, b :: a :: ns => (a * b) :: ns
  | _, ns => ns

def exec : List Code → List Nat → List Nat
  | [], ns => ns
  | c :: cs, ns => exec cs (step c ns)

def compile : Expr → List Code
  | num n => [push n]
  | plus a b => app (compile a) (app (compile b) [addTop])
  | times a b => app (compile a) (app (compile b) [mulTop])

theorem exec_nil (ns : List Nat) : exec [] ns = ns := by
  rfl

theorem exec_cons (c : Code) (cs : List Code) (ns : List Nat) : exec (c :: cs) ns = exec cs (step c ns) := by
  rfl

theorem exec_app (cs ds : List Code) (ns : List Nat) : exec (app cs ds) ns = exec ds (exec cs ns) := by
  induction cs generalizing ns with
  | nil => rfl
  | cons c cs ih => rw [app_cons, exec_cons, ih, exec_cons]

theorem exec_compile (e : Expr) (ns : List Nat) : exec (compile e) ns = eval e :: ns := by
  induction e generalizing ns with
  | num n => rfl
  | plus a b iha ihb =>
    rw [compile, exec_app, exec_app, iha, ihb]
    rfl
  | times a b iha ihb =>
    rw [compile, exec_app, exec_app, iha, ihb]
    rfl

theorem exec_compile_nil (e : Expr) : exec (compile e) [] = [eval e] := by
  rw [exec_compile]

theorem exec_compile_twice (a b : Expr) : exec (app (compile a) (compile b)) [] = [eval b, eval a] := by
  rw [exec_app, exec_compile, exec_compile]

theorem exec_compile_turn (e : Expr) (ns : List Nat) : exec (compile (turn e)) ns = exec (compile e) ns := by
  rw [exec_compile, exec_compile, eval_turn]

theorem len_compile (e : Expr) : len (compile e) = nodes e := by
  induction e with
  | num n => rfl
  | plus a b iha ihb =>
    rw [compile, len_app, len_app, iha, ihb, nodes_plus]
    rfl
  | times a b iha ihb =>
    rw [compile, len_app, len_app, iha, ihb, nodes_times]
    rfl

theorem len_compile_turn (e : Expr) : len (compile (turn e)) = nodes e := by
  rw [len_compile, nodes_turn]

theorem len_exec_compile (e : Expr) (ns : List Nat) : len (exec (compile e) ns) = len ns + 1 := by
  rw [exec_compile, len_cons]

end Stp
