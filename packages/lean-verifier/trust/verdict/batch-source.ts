/**
 * Writes the text below a header that checks many candidates, and records which lines belong to which candidate. A
 * candidate that Lean accepts here is not proved yet: its compiled module decides (`../object/`).
 *
 * Each candidate has a number, and the file has a nonce that no candidate can guess:
 *
 *     axiom _root_._stpNONCE_statement7 SIGNATURE   our text, elaborated before the candidate's (`../stated-form.ts`)
 *     theorem _root_._stpNONCE_proof7 SIGNATURE
 *     := (by
 *       TACTIC BLOCK                                the only untrusted text
 *     )
 *     theorem _stpNONCE_check7 : type_of% @_root_._stpNONCE_statement7 := @_root_._stpNONCE_proof7
 *     #print axioms _stpNONCE_check7                its answer also marks that this candidate is done; if the compiled
 *                                                   module shows the axioms, a string is printed instead
 *
 * If the run's own module is judged, the file contains only the second part, followed by `#print` of a string; another
 * process compiles our statements. Errors outside the tactic block are not read from such a file; the candidate is
 * checked alone.
 *
 * The verdict is that on the check theorem: its type is the type of a constant that existed before the candidate's text
 * was read, the kernel has checked it, and its axioms are printed. The statement is an axiom so that it exists without
 * a proof; a proof that used it would have it among its axioms. The parentheses keep the block a single term: text that
 * ends the tactic block and starts a command is a syntax error. Lean treats names that start with `_` as internal, and
 * searching tactics ignore them, so a candidate's proof does not help the next one.
 *
 * If nobody needs to know why a proof fails, its block is an alternative: `(by first | (TACTIC BLOCK) | fail)`, with
 * each bracket on a line of its own. Outside an alternative, a proof whose first goal stays open continues with the
 * other goals (`<;>`, `all_goals`, bullets), and Lean makes a message of some thousand characters for each. As an
 * alternative it ends at once without a message, which saves much processor time. The same proofs are accepted.
 */
import {
  heartbeatsOf,
  implicitLines,
  provedLines,
  provedName,
  statedLines,
  type WrittenProof,
} from '../stated-form.ts';
import type { Limits } from './limits.ts';

export interface BatchEntry extends WrittenProof {
  /** Whether Lean should explain a failure. Missing: yes. */
  readonly isExplained?: boolean;
}

/** Lines of one candidate in the file, 1-based and inclusive. */
export interface EntryLines {
  readonly first: number;
  readonly theorem: number;
  /** First line of the tactic block. */
  readonly proof: number;
  readonly check: number;
  /** The last line: `#print axioms`. */
  readonly last: number;
}

export interface BatchSource {
  readonly body: string;
  /** Line of the mark that is printed after imports and options. */
  readonly startLine: number;
  readonly entries: readonly EntryLines[];
  /** Full names of the theorems. Present if the run's own module is judged. */
  readonly names?: readonly string[];
}

/**
 * Makes Lean print names in full, independent of opened namespaces, and mark private names. Otherwise `Evil.propext`
 * and a private `propext` would both print as `propext`.
 */
export const FULL_NAMES: readonly string[] = ['set_option pp.fullNames true', 'set_option pp.privateNames true'];

/**
 * Returns the options of each checked file under a header. A smaller heartbeat limit in the header applies. Linters are
 * off.
 */
export function optionLines(limits: Limits, header: string): string[] {
  return [
    ...implicitLines(header),
    'set_option linter.all false',
    ...FULL_NAMES,
    `set_option maxHeartbeats ${heartbeatsOf(header, limits.heartbeatsMax)}`,
  ];
}

/** A `#print` of a string makes an information message at its line, independent of the header. */
export const START_MARK = '#print "header done"';
const ENTRY_DONE = '#print "entry done"';

/** Returns the lines above the first entry; the last one is the mark. */
export function openingLines(header: string, limits: Limits): string[] {
  return [...header.split('\n'), ...optionLines(limits, header), START_MARK];
}

/**
 * @param lastLine makes the last line of an entry from the name of its check theorem; Lean answers it with an
 * information message
 */
export function batchSource(
  header: string,
  entries: readonly BatchEntry[],
  nonce: string,
  limits: Limits,
  lastLine = (check: string): string => `#print axioms ${check}`,
): BatchSource {
  const lines = openingLines(header, limits);
  const startLine = lines.length;
  const located = entries.map((entry, index): EntryLines => {
    const name = (role: string): string => `_stp${nonce}_${role}${index}`;
    const proved = provedName(name('proof'), entry, header);
    const first = lines.length + 1;
    lines.push(...statedLines(name('statement'), entry, header));
    const theorem = lines.length + 1;
    const written = provedLines(proved, entry, entry.isExplained);
    const proof = theorem + written.above;
    lines.push(...written.lines);
    const check = lines.length + 1;
    lines.push(`theorem ${name('check')} : type_of% @_root_.${name('statement')} := @_root_.${proved.full}`);
    lines.push(lastLine(name('check')));
    return { first, theorem, proof, check, last: lines.length };
  });
  return { body: bodyOf(lines, header), startLine, entries: located };
}

/**
 * For proofs whose modules are judged. Having Lean print their axioms too would take a quarter more time, and they
 * would not be trusted.
 */
export const judgedSource: typeof batchSource = (header, entries, nonce, limits) =>
  batchSource(header, entries, nonce, limits, () => ENTRY_DONE);

/** For a run whose own module is judged: writes only theorems, and returns their full names. */
export function objectSource(
  header: string,
  entries: readonly BatchEntry[],
  nonce: string,
  limits: Limits,
): BatchSource {
  const lines = openingLines(header, limits);
  const startLine = lines.length;
  const names: string[] = [];
  const located = entries.map((entry, index): EntryLines => {
    const proved = provedName(`_stp${nonce}_proof${index}`, entry, header);
    const written = provedLines(proved, entry, entry.isExplained);
    const first = lines.length + 1;
    names.push(proved.full);
    lines.push(...written.lines, ENTRY_DONE);
    return { first, theorem: first, proof: first + written.above, check: lines.length, last: lines.length };
  });
  return { body: bodyOf(lines, header), startLine, entries: located, names };
}

const bodyOf = (lines: readonly string[], header: string): string =>
  `${lines.slice(header.split('\n').length).join('\n')}\n`;
