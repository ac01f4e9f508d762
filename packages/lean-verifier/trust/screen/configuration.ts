/**
 * Configuration of tactics, `simp (config := VALUE)` and `simp (maxSteps := VALUE)`: a full Lean elaborates the value,
 * compiles it and runs it. So it must be plain: numerals, `true` and `false`, a few names of constructors, and
 * structures and lists of these. The same form after a function is a named argument, which never runs. So the screen
 * checks values after the name of a tactic, and values for field names that configurations have.
 */

import { nameParts, type Token } from '@stp/lean-text';
import type { Finding } from './finding.ts';

function words(...lists: string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(/\s+/)));
}

/** Tactics that take a configuration, without the `!` and `?` at their ends. */
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

/** Fields of the configurations of Lean's and Mathlib's tactics that have telling names, or hold functions. */
const FIELDS = words(
  'contextual memoize singlePass zeta beta eta etaStruct iota proj arith autoUnfold failIfUnchanged ground unfoldPartialApp',
  'zetaDelta implicitDefEqProofs zetaUnused zetaHave letToHave congrConsts bitVecOfNat warnExponents suggestions maxSuggestions',
  'catchRuntime maxSteps maxDischargeDepth splitDisjunctions splitNatSub splitNatAbs splitMinMax transparency offsetCnstrs occs',
  'newGoals synthAssignedInstances allowSynthFailures maxDepth suspend discharge commitIndependentGoals transform backtracking',
  'splits ematch matchEqs splitMatch splitIte splitIndPred splitImp canonHeartbeats maxRuleApplications maxRuleHeartbeats',
  'maxGoals maxSafePrefixRuleApplications maxNormIterations useSimpAll useDefaultSimpSet enableSimp warnOnNonterminal castMode',
  'preprocessing exfalso splitHypotheses splitNe zetaReduce numInst maxSize traceDiscarded gas',
);

/** The value of these is a tactic or a list of names, and is not run. */
const NOT_EVALUATED = words('disch discharger norm rule_sets');

/** Last parts of the names that a plain value may hold: constructors, and no function but constructors of lists of numbers. */
const VALUES = words(
  'true false none some all pos neg reducible instances default raw SOP always never',
  'nonDependentFirst nonDependentOnly dependent proofs upTo',
);
const PLAIN_SYMBOLS = '{}[](),.:=*';

/** `tokens` hold no comments, and their brackets are balanced. */
export function findEvaluated(tokens: readonly Token[]): Finding | null {
  /** Tactics, by the index of an item's closing bracket: the tactic that the item belongs to, or empty. */
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

/** `( NAME :=` at `index`. */
function isItem(tokens: readonly Token[], index: number): boolean {
  return tokens[index + 1]?.kind === 'word' && tokens[index + 2]?.text === ':' && tokens[index + 3]?.text === '=';
}

/** The word before the item at `index`, other items and flags (`+arith`) passed over, without `!` and `?`; or empty. */
function headOf(tokens: readonly Token[], index: number, heads: ReadonlyMap<number, string>): string {
  let at = index - 1;
  while (tokens[at]?.kind === 'word' && (tokens[at - 1]?.text === '+' || tokens[at - 1]?.text === '-')) at -= 2;
  const token = tokens[at];
  if (token?.text === ')') return heads.get(at) ?? '';
  return token?.kind === 'word' && !isField(tokens, at) ? token.text.replace(/['!?]+$/, '') : '';
}

/** `trans` of `(f x).trans`. The dot of `.simp` may be a bullet. */
function isField(tokens: readonly Token[], index: number): boolean {
  const [object, dot] = [tokens[index - 2], tokens[index - 1]];
  return dot?.text === '.' && dot.end === tokens[index]!.start && object?.end === dot.start;
}

/** Returns what is not plain in the value of the item at `index`, if that is run. */
function findRun(tokens: readonly Token[], index: number, head: string): Finding | null {
  const name = nameParts(tokens[index + 1]!.text).at(-1)!;
  const isRun = /config$/i.test(name) || FIELDS.has(name) || (!NOT_EVALUATED.has(name) && TACTICS.has(head));
  const value = isRun ? findNotPlain(tokens, index + 4) : null;
  return value === null
    ? null
    : { offset: value.start, reason: `the value of ${name.slice(0, 40)} is run, and not plain` };
}

/** The first token of the value that starts at `start`, up to the bracket that closes its item, that is not plain. */
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
