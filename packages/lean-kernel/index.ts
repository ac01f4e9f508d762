/** A kernel for Lean 4 in TypeScript, with readers of exports and compiled modules. */
export { DEFAULT_LIMITS } from './budget.ts';
export type { Checker } from './check/checker.ts';
export {
  APPLICATION,
  BOUND,
  CONSTANT,
  type Expr,
  FORALL,
  LAMBDA,
  LET,
  LOCAL,
  NATURAL,
  PROJECTION,
  SORT,
  Terms,
} from './expr.ts';
export { InputError } from './input-error.ts';
export { Kernel } from './kernel.ts';
export { EMPTY_LEVELS, type LevelList } from './level.ts';
export { ANONYMOUS, type Name, type NameTable } from './name.ts';
export { explained, readModule } from './olean/compiled-file.ts';
export type { IndexedModule } from './olean/constant-index.ts';
export type { SimpMark, SourceRange } from './olean/extension-entries.ts';
export { CompiledLibrary, type WrittenDeclarations } from './olean/library.ts';
export type { BinderKind, CompiledBinder, CompiledConstant, CompiledModule } from './olean/module-data.ts';
export { moduleName } from './olean/module-finder.ts';
export { displayName, isDerivedPart, publicName } from './olean/names.ts';
export type { AskedTheorem, AxiomUse, CheckedConstant, ModuleReport } from './olean/report.ts';
export { statesTheSame } from './olean/same-statement.ts';
export type { Hiding, StatementBinder, StatementParts } from './olean/statement-parts.ts';
export { TypeKeys } from './olean/type-keys.ts';
export type { KernelReport } from './run/report.ts';
export { STANDARD_AXIOMS } from './special/axiom-names.ts';
export { apply, argumentsOf, headOf, partsOf } from './spine.ts';
export { Decline } from './verdict.ts';
