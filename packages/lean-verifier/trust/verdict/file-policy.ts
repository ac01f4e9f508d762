/**
 * Decides which source files can be judged: files that run no code of their own during the check, and leave nothing
 * that could change the answer of a later `#print axioms`. Other files may be correct, but that cannot be determined;
 * their theorems are `unchecked`. The lists of words are deliberately broad.
 */

import { nameParts, positionAt, readHeader, type Token } from '@stp/lean-text';
import { FORBIDDEN_BEFORE_PERCENT, FORBIDDEN_BEGINNINGS } from '../screen/forbidden.ts';
import { findAmbiguity } from '../screen/screen-text.ts';

function words(list: string): string[] {
  return list.split(/\s+/);
}

/** Code that runs during elaboration can add anything to the environment without the kernel. */
const RUNS_CODE: ReadonlySet<string> = new Set([
  ...words('elab elab_rules run_cmd run_tac run_tacq run_elab run_meta run_conv run_term by_elab by_elabq initialize'),
  ...words('include_str include_bytes test_extern idbg from_lrat lrat_proof with_panel_widgets show_panel_widgets'),
  ...words('def_eval_config_item ensure_eval_term_instance ensure_eval_expr_instance ensure_eval_term_expr_instances'),
  ...words('derive_eval_expr_instance_using_meta_eval compile_def compile_inductive elab_stx_quot'),
  ...words(
    'cbv_simproc cbv_simproc_decl grind_propagator init_grind_norm make_elab_simp_config make_elab_grind_config',
  ),
  ...words('macro macro_rules binder_predicate simproc simproc_decl dsimproc dsimproc_decl'),
  ...words('unsafe implemented_by extern csimp init_quot meta'),
]);

/** These affect later files unless preceded by `local` or `scoped`. */
const EXTENDS_SYNTAX: ReadonlySet<string> = new Set(
  words('notation notation3 infix infixl infixr prefix postfix unif_hint'),
);
/**
 * In a token of local syntax these could hide a comment, string or name from us, or make one that Lean does not see.
 */
const RISKY_IN_SYNTAX = /[-/\\'«»{}]/;

/**
 * Words that are refused after `#`. They run code, end the file, or hide Lean's messages about a failing command.
 * Lean's tokens need no boundary: `#exitx` begins with `#exit`, so prefixes are compared.
 */
const RUNNING_COMMANDS: readonly string[] = words('eval exit guard html widget test sample run');

/** Attributes that affect how Lean uses a declaration, not how it reads or prints text. */
const ATTRIBUTES: ReadonlySet<string> = new Set([
  ...words(
    'simp simp↓ dsimp ext grind grind_pattern reducible irreducible semireducible instance inline always_inline',
  ),
  ...words(
    'macro_inline noinline specialize nospecialize match_pattern class default_instance elab_as_elim elab_without_expected_type',
  ),
  ...words('induction_eliminator cases_eliminator norm_cast push_cast coe symm refl trans congr gcongr simps mono'),
  ...words('positivity aesop to_additive deprecated inherit_doc local scoped simprocs rw bool_to_prop int_toNat'),
  ...words('expose wf_preprocess partial_fixpoint_monotone fun_prop measurability continuity nolint unused_variables'),
]);

/**
 * Returns why the file cannot be judged, with the position (1-based line, 0-based column), or null. `allTokens` include
 * comments.
 */
export function findUnjudgeable(text: string, allTokens: readonly Token[]): string | null {
  const ambiguity = findAmbiguity(text, allTokens);
  if (ambiguity !== null) return located(text, ambiguity.offset, ambiguity.reason);
  const header = readHeader(text, allTokens);
  if (header.isPrelude && header.imports.length === 0)
    return located(text, 0, 'prelude without an import leaves out all that statements are made of');
  const tokens = allTokens.filter(({ kind, start }) => kind !== 'comment' && start >= header.end);
  const hasLocalSyntax = tokens.some(({ text: word }) => EXTENDS_SYNTAX.has(word));
  for (const [index, token] of tokens.entries()) {
    const reason = judgeToken(tokens, index, token);
    if (reason !== null) return located(text, token.start, reason);
    if (hasLocalSyntax && token.kind === 'string' && RISKY_IN_SYNTAX.test(token.text)) {
      return located(text, token.start, 'is a string that local syntax could use to hide text');
    }
  }
  return null;
}

function located(text: string, offset: number, reason: string): string {
  const { line, column } = positionAt(text, offset);
  return `${line}:${column}: ${reason}`;
}

function judgeToken(tokens: readonly Token[], index: number, token: Token): string | null {
  const next = tokens[index + 1];
  const adjacent = next !== undefined && next.start === token.end;
  if (token.text === '#' && adjacent && RUNNING_COMMANDS.some((word) => next.text.startsWith(word)))
    return `#${next.text.slice(0, 40)} cannot be judged from outside`;
  if (token.text === '@' && adjacent && next.text === '[') return judgeAttributes(tokens, index + 1);
  if (token.kind !== 'word') return null;
  if (adjacent && next.text === '%' && FORBIDDEN_BEFORE_PERCENT.has(token.text))
    return `${token.text}% cannot be judged from outside`;
  if (token.text === 'syntax') return 'syntax changes how text is read, and a name can make it take a command’s place';
  if (RUNS_CODE.has(token.text) || FORBIDDEN_BEGINNINGS.some(([begins]) => token.text.startsWith(begins)))
    return `${token.text.slice(0, 40)} runs code while Lean checks, or loads the file in another way`;
  const before = tokens[index - 1]?.text;
  if (EXTENDS_SYNTAX.has(token.text) && before !== 'local' && before !== 'scoped') {
    return `${token.text} without \`local\` changes how later text is read and printed`;
  }
  if (EXTENDS_SYNTAX.has(token.text) && hasName(tokens, index))
    return `${token.text} with a name can take the place of syntax that Lean knows by that name`;
  if (token.text === 'set_option' && (next?.kind !== 'word' || nameParts(next.text)[0]!.startsWith('debug'))) {
    return 'a debug option can switch the kernel off';
  }
  if (token.text === 'set_option' && next !== undefined && nameParts(next.text)[0] === 'doc') {
    return 'an option of documentation lets comments be elaborated';
  }
  if (token.text === 'attribute' && next?.text === '[') return judgeAttributes(tokens, index + 1);
  return null;
}

/** Whether a notation has `(name := …)` before its items, the first of which is a string or a name. */
function hasName(tokens: readonly Token[], index: number): boolean {
  for (let at = index + 1; at < tokens.length && tokens[at]!.kind !== 'string'; at += 1) {
    if (tokens[at]!.text === 'name' && tokens[at - 1]!.text === '(') return true;
    if (tokens[at]!.text === '=' && tokens[at + 1]?.text === '>') return false;
  }
  return false;
}

/** Checks the first word of each attribute after the `[` at `start`. */
function judgeAttributes(tokens: readonly Token[], start: number): string | null {
  let depth = 0;
  for (let index = start; index < tokens.length; index += 1) {
    const { text, kind } = tokens[index]!;
    if ('([{⟨'.includes(text)) depth += 1;
    if (')]}⟩'.includes(text)) depth -= 1;
    if (depth === 0) return null;
    const previous = tokens[index - 1]!.text;
    const first = depth === 1 && (index === start + 1 || [',', '-', 'local', 'scoped'].includes(previous));
    if (first && kind === 'word' && !ATTRIBUTES.has(text))
      return `the attribute ${text.slice(0, 40)} is not one that is known here`;
  }
  return 'has an attribute list that does not end';
}
