/** The findings on theorems of a compiled object, before further checkers run. */

import type { Objection } from './axiom-policy.ts';
import type { Meaning } from './meaning.ts';

/** In records of checks. The version changes whenever a verdict could. */
export const OBJECT = { name: 'object', version: '3' } as const;
/** Our own kernel (`packages/lean-kernel/`): the certificate counts as checked twice by it. */
export const SECOND_KERNEL = { name: 'second kernel', version: '2' } as const;

/** Part of what a kept judgement is known by. */
export const JUDGED_BY: readonly string[] = [OBJECT, SECOND_KERNEL].map(({ name, version }) => `${name} ${version}`);

export interface TheoremFinding {
  readonly name: string;
  /** Where its declaration begins: 1-based line, 0-based column. */
  readonly line: number;
  readonly column: number;
  /** All that it rests on, sorted. */
  readonly axioms: readonly string[];
  /** Constants of imported modules that it mentions, itself or through others of the module; none where theorems are only listed. */
  readonly mentions: readonly string[];
  /** It is an example, and has no name. */
  readonly isExample?: true;
  /** Facts that can deceive a reader of its statement; missing if there are none, or if our own statements say what it means. */
  readonly meaning?: Meaning;
  /** Why its own header has readers take its statement for another one; missing if it does not. */
  readonly misread?: string;
  /** The object's objection to it; null if there is none. */
  readonly objection: string | null;
  /** Kind of thing that the theorem rests on and may not, if that is the objection to it. */
  readonly restsOn?: Objection['restsOn'];
  /** Answer of the second kernel. */
  readonly kernel: 'accepted' | 'rejected' | 'declined';
  /** Why the kernel did not accept; empty where it did. */
  readonly reason: string;
}

export interface ObjectFinding {
  readonly theorems: readonly TheoremFinding[];
  /** An objection to the object and to no theorem in particular; null if there is none. */
  readonly objection: string | null;
  /** A definition or an instance that rests on what is not allowed (`sorry`, a foreign axiom), or null. Each theorem's axioms tell whether the theorem rests on it. */
  readonly open: string | null;
  /** Whether the kernel accepted every constant that is not set aside, and nothing is wrong with the object. */
  readonly isSound: boolean;
  /** Facts that can deceive a reader of the file, and belong to no theorem. */
  readonly notes: readonly string[];
  /** Declarations of a file that are no theorems and rest on axioms. */
  readonly others: readonly DeclarationAxioms[];
}

export interface DeclarationAxioms {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  /** All, the allowed ones too, sorted. */
  readonly axioms: readonly string[];
}
