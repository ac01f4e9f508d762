prelude
import Init.WF

/-! What Lean 4.35's elaborator and tactics name and the 4.28 library does not have, stated as they use it: well-founded recursion. -/

/-! ### Used by well-founded recursion -/

-- 4.35 unfolds an instance only where it says so; termination proofs need this one unfolded.
set_option allowUnsafeReducibility true in
attribute [instance_reducible] Nat.lt_wfRel
