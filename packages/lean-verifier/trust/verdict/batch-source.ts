/**
 * Writes what stands below a header to check many candidates, and knows which lines of the whole belong to which candidate.
 * A candidate that Lean accepts here is not proved yet: its compiled object decides (`../object/`).
 *
 * For each candidate, with a number of its own and a nonce no candidate can guess:
 *
 *     axiom _root_._stpNONCE_statement7 SIGNATURE   our text, elaborated before the candidate's (`../stated-form.ts`)
 *     theorem _root_._stpNONCE_proof7 SIGNATURE
 *     := (by
 *       TACTIC BLOCK                                the only untrusted text
 *     )
 *     theorem _stpNONCE_check7 : type_of% @_root_._stpNONCE_statement7 := @_root_._stpNONCE_proof7
 *     #print axioms _stpNONCE_check7                its answer is also the mark that this candidate is done; a string is printed
 *                                                   in its place where the object says what the proof rests on
 *
 * Where the run's own module is judged, the file has the second part alone, and `#print` of a string behind it: our own statements
 * are compiled by another process then. An error outside the tactic block is not read from such a file; the candidate is checked alone.
 *
 * The check theorem is judged: its type is the type of a constant that existed before the candidate's text was read,
 * the kernel has checked it, and its axioms are printed. The statement is an axiom so that it exists without a proof; a
 * proof that used it would show it among its axioms. The parentheses keep the block one term: a text that ends the
 * tactic block and starts any command is a syntax error. A name that starts with `_` is internal to Lean, so searching
 * tactics ignore it: one candidate's proof does not help the next.
 *
 * Where nobody wants to know why a proof fails, its block is an alternative: `(by first | (TACTIC BLOCK) | fail)`, each bracket on a
 * line of its own. Alone, a proof whose first goal stays open goes on with the other goals (`<;>`, `all_goals`, bullets), each with
 * a message of some thousand characters. As an alternative it ends there, and no message is made: in a round of the preset
 * `embedded` that is 40 % of the processor time of rejected samples. The same proofs are accepted.
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
  /** Is Lean to say why it fails? Missing: yes. */
  readonly isExplained?: boolean;
}

/** 1-based, inclusive lines of one candidate in the file. */
export interface EntryLines {
  readonly first: number;
  readonly theorem: number;
  /** First line of the tactic block. */
  readonly proof: number;
  readonly check: number;
  /** `#print axioms`, the last. */
  readonly last: number;
}

export interface BatchSource {
  /** The text below the header. */
  readonly body: string;
  /** Line of the mark that is printed when imports and options are done. */
  readonly startLine: number;
  readonly entries: readonly EntryLines[];
  /** Full names of the theorems, where the run's own module is judged. */
  readonly names?: readonly string[];
}

/**
 * Prints names in full, independent of opened namespaces, and marks private ones: otherwise `Evil.propext` and a
 * private `propext` would both print as `propext`.
 */
export const FULL_NAMES: readonly string[] = ['set_option pp.fullNames true', 'set_option pp.privateNames true'];

/** Options of every checked file under a header, whose own bound of heartbeats holds where it is smaller. No linter runs. */
export function optionLines(limits: Limits, header: string): string[] {
  return [
    ...implicitLines(header),
    'set_option linter.all false',
    ...FULL_NAMES,
    `set_option maxHeartbeats ${heartbeatsOf(header, limits.heartbeatsMax)}`,
  ];
}

/** `#print` of a string: an information message at its line, independent of the header. */
export const START_MARK = '#print "header done"';
const ENTRY_DONE = '#print "entry done"';

/** Lines above the first entry; the last one is the mark. */
export function openingLines(header: string, limits: Limits): string[] {
  return [...header.split('\n'), ...optionLines(limits, header), START_MARK];
}

/** @param lastLine of an entry, with the name of its check theorem; Lean answers it with information */
export function batchSource(
  header: string,
  entries: readonly BatchEntry[],
  nonce: string,
  limits: Limits,
  lastLine = (check: string): string => `#print axioms ${check}`,
): BatchSource {
  const lines = openingLines(header, limits);
  const startLine = lines.length;
  const placed = entries.map((entry, index): EntryLines => {
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
  return { body: bodyOf(lines, header), startLine, entries: placed };
}

/** For proofs whose objects are judged. To ask Lean for their axioms as well, and not to believe it, takes a quarter more time. */
export const judgedSource: typeof batchSource = (header, entries, nonce, limits) =>
  batchSource(header, entries, nonce, limits, () => ENTRY_DONE);

/** For a run whose own module is judged: theorems alone, whose full names are given too. */
export function objectSource(
  header: string,
  entries: readonly BatchEntry[],
  nonce: string,
  limits: Limits,
): BatchSource {
  const lines = openingLines(header, limits);
  const startLine = lines.length;
  const names: string[] = [];
  const placed = entries.map((entry, index): EntryLines => {
    const proved = provedName(`_stp${nonce}_proof${index}`, entry, header);
    const written = provedLines(proved, entry, entry.isExplained);
    const first = lines.length + 1;
    names.push(proved.full);
    lines.push(...written.lines, ENTRY_DONE);
    return { first, theorem: first, proof: first + written.above, check: lines.length, last: lines.length };
  });
  return { body: bodyOf(lines, header), startLine, entries: placed, names };
}

const bodyOf = (lines: readonly string[], header: string): string =>
  `${lines.slice(header.split('\n').length).join('\n')}\n`;
