/** Words that a proof or a conjecture never needs, with the reason a person is told. Data only; `screen-text.ts` applies it. */

const SORRY = 'leaves the goal unproved';
const DECLARES = 'starts a second declaration';
const SCOPES = 'opens or closes a scope that is not its own';
const EXTENDS = 'changes what later text means';
const RUNS_CODE = 'runs code while Lean checks';
const TRUSTS_COMPILER = 'trusts compiled code in place of the kernel';
const SEARCHES = 'searches the whole environment, so its result depends on what else is checked beside it';
const STALLS = 'waits or prints without proving anything';

function words(reason: string, list: string): [string, string][] {
  return list.split(/\s+/).map((word) => [word, reason]);
}

/** Whole words (keywords are whole words to Lean too: `sorry'` is a name). The verdict for these is `sorry`. */
export const SORRY_WORDS: ReadonlyMap<string, string> = new Map(words(SORRY, 'sorry admit'));

export const FORBIDDEN_WORDS: ReadonlyMap<string, string> = new Map([
  ...words(DECLARES, 'axiom theorem lemma def abbrev example instance inductive coinductive structure class'),
  ...words(DECLARES, 'opaque mutual variable universe deriving alias proof_wanted irreducible_def'),
  ...words(DECLARES, 'private protected noncomputable partial nonrec'),
  ...words(SCOPES, 'namespace section end import module prelude export include omit local scoped'),
  ...words(EXTENDS, 'macro macro_rules syntax notation notation3 infix infixl infixr prefix postfix elab elab_rules'),
  ...words(EXTENDS, 'declare_syntax_cat attribute simproc simproc_decl dsimproc dsimproc_decl builtin_simproc'),
  ...words(EXTENDS, 'unif_hint add_decl_doc register_simp_attr grind_pattern builtin_grind_propagator seal unseal'),
  ...words(EXTENDS, 'gen_injective_theorems% init_quot reset_grind_attrs% binder_predicate register_option'),
  ...words(
    RUNS_CODE,
    'initialize builtin_initialize run_tac run_cmd run_elab run_meta by_elab eval% elab_stx% run_conv',
  ),
  ...words(RUNS_CODE, 'include_str dbg_trace dbg_sleep dbgTraceVal unsafe implemented_by extern csimp'),
  ...words(TRUSTS_COMPILER, 'native_decide bv_decide bv_check reduceBool reduceNat'),
  ...words(SEARCHES, 'exact? apply? rw? rw?? have? try? observe?'),
  ...words(STALLS, 'trace_state trace_goal'),
]);

/** Words that are names as well (`start stop : Nat`): refused only where a tactic starts. */
export const FORBIDDEN_TACTICS: ReadonlyMap<string, string> = new Map([
  ...words(SORRY, 'stop'),
  ...words(SEARCHES, 'hint plausible slim_check'),
  ...words(STALLS, 'sleep trace'),
]);

/** Options of tactics, refused after `+` and before `:=`. */
export const FORBIDDEN_FLAGS: ReadonlyMap<string, string> = new Map([
  ...words(TRUSTS_COMPILER, 'native'),
  ...words(SEARCHES, 'suggestions library'),
]);

/** Last parts of names of constants that stand for an unproved or an unchecked fact, in whatever namespace and quotes. */
export const FORBIDDEN_CONSTANTS: ReadonlyMap<string, string> = new Map([
  ...words(SORRY, 'sorryAx'),
  ...words(TRUSTS_COMPILER, 'ofReduceBool ofReduceNat trustCompiler reduceBool reduceNat'),
]);

/** Options a proof may set, for one tactic or term (`set_option … in`), with the largest value. */
export const OPTIONS_MAX: ReadonlyMap<string, number> = new Map([
  /** Lean's default is 512; deep but honest terms need some thousands. */
  ['maxRecDepth', 10_000],
  /** Lean's default. 0 would mean no bound at all and is refused. */
  ['maxHeartbeats', 200_000],
]);

/** Commands a header may hold. Everything else in a header is refused: a header comes with a dataset. */
export const HEADER_COMMANDS: ReadonlySet<string> = new Set([
  'import',
  'open',
  'scoped',
  'set_option',
  'universe',
  'variable',
  'noncomputable',
  'section',
  'namespace',
]);

/** Options a header may set, or their first parts. `debug.…` could switch the kernel off. */
export const HEADER_OPTIONS: readonly string[] = [
  'maxHeartbeats',
  'maxRecDepth',
  'autoImplicit',
  'relaxedAutoImplicit',
  'linter.',
  'pp.',
  'synthInstance.',
  'tactic.',
];
