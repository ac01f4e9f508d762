/**
 * Checks configurations of tactics, `simp (config := VALUE)` and `simp (maxSteps := VALUE)`. A full Lean elaborates,
 * compiles and runs the value, so it must be plain: numerals, `true` and `false`, a few constructor names, and
 * structures and lists of these. After a function, the same form is a named argument, which is never run. So the screen
 * checks values after the name of a tactic, and values for field names that configurations have.
 */

import { nameParts, type Token } from '@stp/lean-text';
import type { Finding } from './finding.ts';

function words(...lists: string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(/\s+/)));
}

/** Tactics that take a configuration, without a final `!` or `?`. */
const TACTICS = words(
  'simp simpa simp_all dsimp simp_rw simp_arith simp_all_arith simp_wf simp_match norm_num norm_num1 norm_cast push_cast',
  'exact_mod_cast apply_mod_cast rw_mod_cast assumption_mod_cast rw rewrite rwa erw nth_rewrite nth_rw rw_search unfold delta',
  'omega bv_omega bv_decide bv_normalize bv_check decide native_decide decide_cbv cbv grind grobner cutsat lia linarith nlinarith',
  'positivity polyrith ring ring_nf ring1 ring1_nf abel abel_nf abel1 field_simp field noncomm_ring group module match_scalars',
  'linear_combination aesop aesop_cat aesop_graph apply fapply eapply apply_rules apply_assumption solve_by_elim exact',
  'hint plausible slim_check ext ext1 congr convert convert_to gcongr rcongr split split_ifs contrapose push_neg push pull tauto',
  'itauto duper auto fun_prop continuity measurability bound interval_cases fin_cases conv by_contra wlog ac_rfl ac_nf',
  'mvcgen vcgen mspec infer_instance lift zify qify rify set_config sym rel mono monicity compute_degree extract_lets lift_lets',
  'let_to_have observe fun_induction fun_cases instantiate internalize whnf egg canonical refine constructor fconstructor',
);

/** Fields of configurations of Lean's and Mathlib's tactics that are recognisable by their names, or hold functions. */
const FIELDS = words(
  'contextual memoize singlePass zeta beta eta etaStruct iota proj arith autoUnfold failIfUnchanged ground unfoldPartialApp',
  'zetaDelta implicitDefEqProofs zetaUnused zetaHave letToHave congrConsts bitVecOfNat warnExponents suggestions maxSuggestions',
  'catchRuntime maxSteps maxDischargeDepth splitDisjunctions splitNatSub splitNatAbs splitMinMax transparency offsetCnstrs occs',
  'newGoals synthAssignedInstances allowSynthFailures maxDepth suspend discharge commitIndependentGoals transform backtracking',
  'splits ematch matchEqs splitMatch splitIte splitIndPred splitImp canonHeartbeats maxRuleApplications maxRuleHeartbeats',
  'maxGoals maxSafePrefixRuleApplications maxNormIterations useSimpAll useDefaultSimpSet enableSimp warnOnNonterminal castMode',
  'preprocessing exfalso splitHypotheses splitNe zetaReduce numInst maxSize traceDiscarded gas',
);

/** Arguments whose value is a tactic or a list of names, and is not run. */
const NOT_EVALUATED = words('disch discharger norm rule_sets');

/**
 * Last components of names that a plain value may contain: constructors, but no functions except constructors of lists
 * of numbers.
 */
const VALUES = words(
  'true false none some all pos neg reducible instances default raw SOP always never',
  'nonDependentFirst nonDependentOnly dependent proofs upTo',
);
const PLAIN_SYMBOLS = '{}[](),.:=*';

/** `tokens` must not contain comments, and their brackets must be balanced. */
export function findEvaluated(tokens: readonly Token[]): Finding | null {
  /** The tactic to which an item belongs, or empty, by the index of the item's closing bracket. */
  const heads = new Map<number, string>();
  const open: { readonly index: number; readonly head: string | null }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.text === '(') {
      const head = isItem(tokens, index) ? headOf(tokens, index, heads) : null;
      open.push({ index, head });
      const value = head === null ? null : findRun(tokens, index, head);
      if (value !== null) return value;
    } else if (token.text === ')') {
      const opener = open.pop();
      if (opener !== undefined && opener.head !== null) heads.set(index, opener.head);
    }
  }
  return null;
}

/** Whether an item `( NAME :=` begins at `index`. */
function isItem(tokens: readonly Token[], index: number): boolean {
  return tokens[index + 1]?.kind === 'word' && tokens[index + 2]?.text === ':' && tokens[index + 3]?.text === '=';
}

/**
 * Returns the word before the item at `index`, skipping other items and flags (`+arith`), without `!` and `?`; empty if
 * there is none.
 */
function headOf(tokens: readonly Token[], index: number, heads: ReadonlyMap<number, string>): string {
  let at = index - 1;
  while (tokens[at]?.kind === 'word' && (tokens[at - 1]?.text === '+' || tokens[at - 1]?.text === '-')) at -= 2;
  const token = tokens[at];
  if (token?.text === ')') return heads.get(at) ?? '';
  return token?.kind === 'word' && !isField(tokens, at) ? token.text.replace(/['!?]+$/, '') : '';
}

/** Whether the word is a field, like `trans` in `(f x).trans`. The dot of `.simp` may be a bullet. */
function isField(tokens: readonly Token[], index: number): boolean {
  const [object, dot] = [tokens[index - 2], tokens[index - 1]];
  return dot?.text === '.' && dot.end === tokens[index]!.start && object?.end === dot.start;
}

/** Finds a part that is not plain in the value of the item at `index`, if that value is run. */
function findRun(tokens: readonly Token[], index: number, head: string): Finding | null {
  const name = nameParts(tokens[index + 1]!.text).at(-1)!;
  const isRun = /config$/i.test(name) || FIELDS.has(name) || (!NOT_EVALUATED.has(name) && TACTICS.has(head));
  const value = isRun ? findNotPlain(tokens, index + 4) : null;
  return value === null
    ? null
    : { offset: value.start, reason: `the value of ${name.slice(0, 40)} is run, and not plain` };
}

/** Returns the first token that is not plain in the value from `start` to the bracket that closes its item. */
function findNotPlain(tokens: readonly Token[], start: number): Token | null {
  let depth = 1;
  for (let at = start; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (token.text === '(') depth += 1;
    if (token.text === ')') depth -= 1;
    if (depth === 0) return null;
    if (token.kind === 'number' || (token.kind === 'symbol' && PLAIN_SYMBOLS.includes(token.text))) continue;
    const isFieldName = token.kind === 'word' && tokens[at + 1]?.text === ':' && tokens[at + 2]?.text === '=';
    const isValue = token.kind === 'word' && VALUES.has(nameParts(token.text).at(-1)!);
    if (!isFieldName && !isValue) return token;
  }
  return null;
}
