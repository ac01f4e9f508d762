/** The result of checking a compiled module, as it is printed and passed between threads. */
import type { Declined, Rejected } from '../run/report.ts';
import type { SourceRange } from './extension-entries.ts';
import type { CompiledConstant } from './module-data.ts';
import type { Hiding, StatementParts } from './statement-parts.ts';

/** A theorem that the module is to hold. */
export interface AskedTheorem {
  /** Its name and that of its statement in the module of statements, with dots; all parts are texts. */
  readonly name: string;
  readonly stated: string;
}

export interface AxiomUse {
  readonly name: string;
  /** Who declares it: the module itself, one that it imports, or the toolchain's own library. */
  readonly from: 'module' | 'import' | 'toolchain';
}

export interface CheckedConstant {
  /** As a source would write it, without the marks of a private one. */
  readonly name: string;
  readonly kind: CompiledConstant['kind'];
  readonly safety: 'safe' | 'unsafe' | 'partial';
  readonly isPrivate: boolean;
  /** Where it was written; null for what Lean made by itself. */
  readonly range: SourceRange | null;
  /** Whether the type of an inductive type, taken apart without computing, ends in a sort. True for all others. */
  readonly hasLiteralSort: boolean;
  /** The parts on which the statement of a written theorem, axiom or definition rests. */
  readonly statement?: StatementParts;
  /** Another constant that its name can be read as, where it is written and no theorem. */
  readonly hides?: Hiding;
  /** The kernel's verdict. `outside`: an unsafe or partial constant, which is not checked. */
  readonly verdict: 'accepted' | 'rejected' | 'declined' | 'outside';
  /** Why it is not accepted; empty where it is. */
  readonly message: string;
  /**
   * The place of the asked theorem it belongs to. `given`: the module of statements has the same constant. `imported`: a fact
   * that Lean derives of an imported or a given constant.
   */
  readonly madeFor: number | 'imported' | 'given' | null;
  /** The axioms it rests on, found by following the modules. */
  readonly axioms: readonly AxiomUse[];
}

export interface AskedReport {
  readonly name: string;
  /** Its place among `constants`; null where the module has no such constant. */
  readonly place: number | null;
  /** Whether its type is that of its statement. `unknown`: there is no such statement. */
  readonly statement: 'same' | 'other' | 'unknown';
  /** The parts on which its statement rests and that can be read as an imported constant. */
  readonly hiding: readonly Hiding[];
  /** Places of the module's own constants that it rests on, itself left out. */
  readonly reaches: readonly number[];
  /** Constants of other modules that it or one of those mentions, sorted; private ones by the name in their source. */
  readonly mentions: readonly string[];
}

export interface ModuleReport {
  /** `declined` if a checked constant was declined, a theorem or not, and none was rejected. */
  readonly verdict: 'accepted' | 'rejected' | 'declined';
  readonly declarations: number;
  /** Unsafe and partial constants, which are not checked. */
  readonly setAside: number;
  readonly imports: readonly string[];
  /** All that the module adds, in the order of its source. */
  readonly constants: readonly CheckedConstant[];
  /** In the order in which they were asked for. */
  readonly asked: readonly AskedReport[];
  /** Entries that it gives environment extensions. */
  readonly extensions: readonly { readonly name: string; readonly entries: number }[];
  readonly rejected: readonly Rejected[];
  readonly declined: readonly Declined[];
}

/** Where nothing can be told of the module. */
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
