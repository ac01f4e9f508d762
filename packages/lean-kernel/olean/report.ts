/** The result of checking a compiled module, as it is printed and passed between threads. */
import type { Declined, Rejected } from '../run/report.ts';
import type { SourceRange } from './extension-entries.ts';
import type { CompiledConstant } from './module-data.ts';
import type { Hiding, StatementParts } from './statement-parts.ts';

/** A theorem that the module must contain. */
export interface AskedTheorem {
  /**
   * Its name, and `stated`, the name of its statement in the module of statements, with dots; all components are texts.
   */
  readonly name: string;
  readonly stated: string;
}

export interface AxiomUse {
  readonly name: string;
  /** Where it is declared: in the module itself, in an imported module, or in the toolchain's own library. */
  readonly from: 'module' | 'import' | 'toolchain';
}

export interface CheckedConstant {
  /** As a source would write it, without the prefix of private names. */
  readonly name: string;
  readonly kind: CompiledConstant['kind'];
  readonly safety: 'safe' | 'unsafe' | 'partial';
  readonly isPrivate: boolean;
  /** Source range; null for a constant that Lean generated. */
  readonly range: SourceRange | null;
  /** Whether the type of an inductive type, without reduction, ends in a sort. True for all other constants. */
  readonly hasLiteralSort: boolean;
  /** The parts on which the statement of a written theorem, axiom or definition depends. */
  readonly statement?: StatementParts;
  /** Another constant as which its name can be read, for a written constant that is not a theorem. */
  readonly hides?: Hiding;
  /** The kernel's verdict. `outside`: an unsafe or partial constant, which is not checked. */
  readonly verdict: 'accepted' | 'rejected' | 'declined' | 'outside';
  /** Why it is not accepted; empty if it is. */
  readonly message: string;
  /**
   * Index of the requested theorem to which it belongs. `given`: the module of statements has the same constant.
   * `imported`: a fact that Lean derives from an imported or given constant.
   */
  readonly madeFor: number | 'imported' | 'given' | null;
  /** The axioms on which it depends, found by following the modules. */
  readonly axioms: readonly AxiomUse[];
}

export interface AskedReport {
  readonly name: string;
  /** Its index in `constants`; null if the module lacks it. */
  readonly index: number | null;
  /** Whether its type is that of its statement. `unknown`: there is no such statement. */
  readonly statement: 'same' | 'other' | 'unknown';
  /** Parts of its statement that can be read as an imported constant. */
  readonly hiding: readonly Hiding[];
  /** Indices of the module's own constants on which it depends, except itself. */
  readonly reaches: readonly number[];
  /** Constants of other modules that it or one of those mentions, sorted; private ones by their name in the source. */
  readonly mentions: readonly string[];
}

export interface ModuleReport {
  /** `declined`: a checked constant, not necessarily a theorem, was declined, and none was rejected. */
  readonly verdict: 'accepted' | 'rejected' | 'declined';
  readonly declarations: number;
  /** Number of unsafe and partial constants, which are not checked. */
  readonly setAside: number;
  readonly imports: readonly string[];
  /** All constants that the module adds, in source order. */
  readonly constants: readonly CheckedConstant[];
  /** In the order of the request. */
  readonly asked: readonly AskedReport[];
  /** Entries of environment extensions in the module. */
  readonly extensions: readonly { readonly name: string; readonly entries: number }[];
  readonly rejected: readonly Rejected[];
  readonly declined: readonly Declined[];
}

/** Returns the report for a module that could not be checked. */
export function declinedReport(reason: string): ModuleReport {
  return {
    verdict: 'declined',
    declarations: 0,
    setAside: 0,
    imports: [],
    constants: [],
    asked: [],
    extensions: [],
    rejected: [],
    declined: [{ declaration: '', reason }],
  };
}
