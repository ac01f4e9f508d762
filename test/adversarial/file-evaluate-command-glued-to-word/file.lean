import Lean
open Lean Elab Command
def act : CommandElabM Unit := logInfo "ran"
#evalact
theorem t : 1 + 1 = 2 := rfl
