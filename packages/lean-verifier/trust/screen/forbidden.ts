/**
 * Words that no proof and no conjecture needs, each with the reason that people see. This file contains only data;
 * `screen-text.ts` applies it.
 */

const SORRY = 'leaves the goal unproved';
const DECLARES = 'starts a second declaration';
const SCOPES = 'opens or closes a scope that is not its own';
const EXTENDS = 'changes what later text means';
const RUNS_CODE = 'runs code while Lean checks';
const TRUSTS_COMPILER = 'trusts compiled code in place of the kernel';
const SEARCHES = 'searches the whole environment, so its result depends on what else is checked beside it';
const NAMES_ITSELF = 'asks under which name it stands, which is another one while it is judged';
const STALLS = 'waits or prints without proving anything';

function words(reason: string, list: string): [string, string][] {
  return list.split(/\s+/).map((word) => [word, reason]);
}

/** Whole words, as Lean's keywords are: `sorry'` is a name. Their verdict is `sorry`. */
export const SORRY_WORDS: ReadonlyMap<string, string> = new Map(words(SORRY, 'sorry admit'));

/** Words for terms that contain their declaration's name, line and module. */
export const PLACE_WORDS: ReadonlySet<string> = new Set(['panic!', 'unreachable!', 'assert!']);

export const FORBIDDEN_WORDS: ReadonlyMap<string, string> = new Map([
  ...words(DECLARES, 'axiom theorem lemma def abbrev example instance inductive coinductive structure class'),
  ...words(DECLARES, 'opaque mutual variable universe deriving alias proof_wanted irreducible_def'),
  ...words(DECLARES, 'private protected noncomputable partial nonrec public meta'),
  ...words(DECLARES, 'aux_def family_def def_wanted theorem_wanted instance_wanted nonempty_type hydrate_opaque_type'),
  ...words(SCOPES, 'namespace section end import module prelude export include omit local scoped end_local_scope'),
  ...words(SCOPES, 'with_weak_namespace unset_option unlock_limits stop_at_first_error wait_for_unblock_async'),
  ...words(SCOPES, 'suppress_compilation unsuppress_compilation'),
  ...words(EXTENDS, 'macro macro_rules syntax notation notation3 infix infixl infixr prefix postfix elab elab_rules'),
  ...words(EXTENDS, 'declare_syntax_cat attribute simproc simproc_decl dsimproc dsimproc_decl builtin_simproc'),
  ...words(EXTENDS, 'unif_hint add_decl_doc register_simp_attr grind_pattern builtin_grind_propagator seal unseal'),
  ...words(EXTENDS, 'init_quot binder_predicate grind_propagator grind_annotated init_grind_norm'),
  ...words(
    EXTENDS,
    'cbv_simproc cbv_simproc_decl norm_cast_add_elim tactic_extension recommended_spelling docs_to_verso',
  ),
  ...words(
    EXTENDS,
    'deprecated_module deprecated_syntax extend_docs library_note set_library_suggestions recall recall?',
  ),
  ...words(EXTENDS, 'add_aesop_rules erase_aesop_rules initialize_simps_projections mk_iff_of_inductive_prop'),
  ...words(EXTENDS, 'to_additive_name_hint insert_to_additive_translation to_dual_name_hint to_dual_insert_cast'),
  ...words(EXTENDS, 'make_elab_simp_config make_elab_grind_config elab_stx_quot'),
  ...[...PLACE_WORDS].map((word) => [word, NAMES_ITSELF] as const),
  ...words(RUNS_CODE, 'initialize run_tac run_tacq run_cmd run_elab run_meta run_conv run_term by_elab by_elabq'),
  ...words(
    RUNS_CODE,
    'include_str include_bytes dbg_trace dbg_sleep idbg debug_assert! unsafe implemented_by extern csimp',
  ),
  ...words(RUNS_CODE, 'test_extern compile_def compile_inductive from_lrat lrat_proof with_panel_widgets'),
  ...words(RUNS_CODE, 'show_panel_widgets def_eval_config_item ensure_eval_term_instance ensure_eval_expr_instance'),
  ...words(RUNS_CODE, 'ensure_eval_term_expr_instances derive_eval_expr_instance_using_meta_eval'),
  ...words(TRUSTS_COMPILER, 'native_decide bv_decide bv_check reduceBool reduceNat'),
  ...words(SEARCHES, 'exact? apply? rw? rw?? have? try? observe? polyrith'),
  ...words(STALLS, 'trace_state trace_goal whatsnew'),
]);

/**
 * Forbidden words that plain Lean does not know, so that a text may bind them as names (`local-names.ts`). Words of
 * tactics that run or trust code are not included.
 */
export const LOCAL_NAMES: ReadonlySet<string> = new Set(
  [
    'lemma alias proof_wanted irreducible_def aux_def family_def def_wanted theorem_wanted instance_wanted nonempty_type',
    'module prelude end_local_scope unset_option suppress_compilation unsuppress_compilation notation3 recall recall?',
    'library_note extend_docs cbv_simproc whatsnew stop hint plausible slim_check sleep trace',
    'IO EIO BaseIO RealWorld CoreM MetaM TermElabM TacticM CommandElabM MacroM',
  ].flatMap((list) => list.split(' ')),
);

/** Beginnings of commands of Lean and of libraries, which add such commands with every version. */
export const FORBIDDEN_BEGINNINGS: readonly (readonly [string, string])[] = [
  ['declare_', EXTENDS],
  ['register_', EXTENDS],
  ['builtin_', EXTENDS],
];

/** Words that are refused directly before `%`, with which they form one token. Elsewhere `n%2` is a remainder. */
export const FORBIDDEN_BEFORE_PERCENT: ReadonlyMap<string, string> = new Map([
  ...words(RUNS_CODE, 'eval elab_stx elabToSyntax html json mk_rpc_widget let_mvar private_decl'),
  ...words(EXTENDS, 'gen_injective_theorems reset_grind_attrs simproc_pattern cbv_simproc_pattern with_decl_name'),
  ...words(SEARCHES, 'exact?'),
  ...words(NAMES_ITSELF, 'decl_name'),
]);

/** Words that are also names (`start stop : Nat`), so they are refused only where a tactic starts. */
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

/** Last components of names of unproved or unchecked constants, in any namespace and with any quotes. */
export const FORBIDDEN_CONSTANTS: ReadonlyMap<string, string> = new Map([
  ...words(SORRY, 'sorryAx'),
  ...words(TRUSTS_COMPILER, 'ofReduceBool ofReduceNat trustCompiler reduceBool reduceNat'),
  // With these, code that a tactic evaluates during elaboration could do more than compute a value.
  ...words(RUNS_CODE, 'unsafeCast unsafeIO unsafeBaseIO unsafeEIO lcUnreachable lcProof lcAny lcErased'),
  ...words(RUNS_CODE, 'IO EIO BaseIO RealWorld CoreM MetaM TermElabM TacticM CommandElabM MacroM'),
  ...words(
    RUNS_CODE,
    'dbgTrace dbgTraceVal dbgTraceIfShared dbgSleep dbgStackTrace addDecl evalExpr evalTerm evalConst',
  ),
  // Once opened, these turn text between tags into raw text.
  ...words(EXTENDS, 'ProofWidgets Jsx'),
]);

/** Options that a proof may set for one tactic or term (`set_option … in`), with their maximum values. */
export const OPTIONS_MAX: ReadonlyMap<string, number> = new Map([
  /** Lean's default is 512; deep but honest terms need several thousand. */
  ['maxRecDepth', 10_000],
  /** Lean's default. 0, which means no limit, is refused. */
  ['maxHeartbeats', 200_000],
  /** Lean's defaults are 20,000 and 128. A search for an instance may take no more than a whole proof. */
  ['synthInstance.maxHeartbeats', 200_000],
  ['synthInstance.maxSize', 4_096],
]);

/** Commands that a header may contain. All others are refused, because a header comes with a dataset. */
export const HEADER_COMMANDS: ReadonlySet<string> = new Set([
  'import',
  'open',
  'scoped',
  'set_option',
  'universe',
  'variable',
  'include',
  'omit',
  'noncomputable',
  'section',
  'namespace',
  'def',
  'abbrev',
]);

/** Options that a header may set, or their first components. `debug.…` could switch the kernel off. */
export const HEADER_OPTIONS: readonly string[] = [
  'maxHeartbeats',
  'maxRecDepth',
  'autoImplicit',
  'relaxedAutoImplicit',
  'checkBinderAnnotations',
  'linter.',
  'pp.',
  'synthInstance.',
  'tactic.',
];
