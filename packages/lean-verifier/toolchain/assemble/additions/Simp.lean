prelude
import Init.Additions.Core
import Init.MetaTypes

/-! What Lean 4.35's elaborator and tactics name and the 4.28 library does not have, stated as they use it: configurations of `simp` and `dsimp`. -/

/-! ### Configurations of `simp` and `dsimp`

4.35 reads the fields by place. Those of 4.28 come first, as they are there; the last three, or two, are new. -/

namespace Lean.Meta

structure DSimp.Config where
  zeta : Bool := true
  beta : Bool := true
  eta : Bool := true
  etaStruct : EtaStructMode := .all
  iota : Bool := true
  proj : Bool := true
  decide : Bool := false
  autoUnfold : Bool := false
  failIfUnchanged : Bool := true
  unfoldPartialApp : Bool := false
  zetaDelta : Bool := false
  index : Bool := true
  zetaUnused : Bool := true
  zetaHave : Bool := true
  locals : Bool := false
  instances : Bool := false

namespace Simp

structure Config where
  maxSteps : Nat := 100000
  maxDischargeDepth : Nat := 2
  contextual : Bool := false
  memoize : Bool := true
  singlePass : Bool := false
  zeta : Bool := true
  beta : Bool := true
  eta : Bool := true
  etaStruct : EtaStructMode := .all
  iota : Bool := true
  proj : Bool := true
  decide : Bool := false
  arith : Bool := false
  autoUnfold : Bool := false
  dsimp : Bool := true
  failIfUnchanged : Bool := true
  ground : Bool := false
  unfoldPartialApp : Bool := false
  zetaDelta : Bool := false
  index : Bool := true
  implicitDefEqProofs : Bool := true
  zetaUnused : Bool := true
  catchRuntime : Bool := true
  zetaHave : Bool := true
  letToHave : Bool := true
  congrConsts : Bool := true
  bitVecOfNat : Bool := true
  warnExponents : Bool := true
  suggestions : Bool := false
  maxSuggestions : Option Nat := none
  locals : Bool := false
  instances : Bool := false

structure ConfigCtx extends Config where
  contextual := true

structure NormCastConfig extends Config where
  zeta := false
  beta := false
  eta := false
  proj := false
  iota := false

end Simp
end Lean.Meta
