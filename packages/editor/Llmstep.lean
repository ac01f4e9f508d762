/-
# `llmstep "prefix"`: suggestions of `bin/stp suggest serve` as a tactic

For Lean 4.28 and later, without further packages; `curl` has to be on the path. Copy the file into a project and import it.
`LLMSTEP_HOST`, `LLMSTEP_PORT` and `LLMSTEP_SERVER` name the server as they do for llmstep; by default it is
`http://localhost:6000`.

The tactic shows links and closes nothing. Each suggestion is run on the goal under a limit of heartbeats; what fails or leaves
a `sorry` is not shown.

A released Lean runs this. The Lean that the set-up of this repository assembles runs no newly defined code: it elaborates the
definitions below, and refuses the two declarations at the end, which would have to run to define the tactic.
-/
import Lean

open Lean Elab Tactic

namespace Llmstep

/-- Seconds for the server to answer. -/
def answerSeconds : Nat := 60

/-- Of one suggestion, in thousands, as the option `maxHeartbeats` counts them. -/
def heartbeats : Nat := 20000

def address : IO String := do
  let host := (← IO.getEnv "LLMSTEP_HOST").getD "localhost"
  if (← IO.getEnv "LLMSTEP_SERVER") == some "COLAB" then return host
  let port := (← IO.getEnv "LLMSTEP_PORT").getD "6000"
  return s!"http://{host}:{port}"

/-- The suggestions in an answer, or why there are none. -/
def readAnswer (text : String) : Except String (Array String) := do
  let json ← (Json.parse text).mapError fun _ => s!"the server answered {text.take 200}"
  match json.getObjValAs? String "error" with
  | .ok message => throw message
  | .error _ => json.getObjValAs? (Array String) "suggestions"

def ask (state begun context : String) : IO (Except String (Array String)) := do
  let url ← address
  let body := Json.mkObj
    [("tactic_state", Json.str state), ("prefix", Json.str begun), ("context", Json.str context)]
  let arguments := #["--silent", "--show-error", "--max-time", toString answerSeconds,
    "--header", "Content-Type: application/json", "--data-binary", "@-", url]
  let result ← IO.Process.output { cmd := "curl", args := arguments } (input? := some body.compress)
  if result.exitCode == 0 then return readAnswer result.stdout
  return .error s!"{url} cannot be asked: {result.stderr}"

/-- Goals that are left after a suggestion; nothing where it does not parse, fails or leaves a `sorry`. -/
def goalsAfter (text : String) : TacticM (Option Nat) := do
  let saved ← saveState
  try
    let .ok block := Parser.runParserCategory (← getEnv) `tactic s!"(\n{text}\n)" | return none
    let goal ← getMainGoal
    Core.withCurrHeartbeats <|
      withTheReader Core.Context (fun context => { context with maxHeartbeats := heartbeats * 1000 }) <|
        Term.withoutErrToSorry <| evalTactic block
    if (← instantiateMVars (.mvar goal)).hasSorry then return none
    return some (← getUnsolvedGoals).length
  catch _ => return none
  finally saved.restore

/-- Links to the suggestions, those that leave the fewest goals first. -/
def suggest (reference : Syntax) (begun : String) : TacticM Unit := do
  let state := toString (← Meta.ppGoal (← getMainGoal))
  let source := (← getFileMap).source
  let context := String.Pos.Raw.extract source 0 (reference.getPos?.getD 0)
  match ← ask state begun context with
  | .error reason => throwError "llmstep: {reason}"
  | .ok texts =>
    let checked ← texts.filterMapM fun text => do return (← goalsAfter text).map (text, ·)
    if checked.isEmpty then throwError "llmstep: none of {texts.size} suggestions works here"
    let ordered := checked.insertionSort fun first second => first.2 < second.2
    Meta.Tactic.TryThis.addSuggestions reference <| ordered.map fun (text, goals) =>
      { suggestion := .string text
        postInfo? := some (if goals == 0 then " closes the goal" else s!" {goals} left") }
    admitGoal (← getMainGoal)

/-- `llmstep "prefix"`. -/
def evaluate : Tactic := fun reference => do
  let some begun := reference[1].isStrLit? | throwUnsupportedSyntax
  suggest reference begun

end Llmstep

syntax (name := llmstep) "llmstep " str : tactic

attribute [tactic llmstep] Llmstep.evaluate
