/**
 * Facts that tell a reader what a statement means: the constants of its own module on which it depends, which of them
 * can be read as an imported constant, and the binders at its head.
 */
import { APPLICATION, CONSTANT, type Expr, FORALL, SORT, type Terms } from '../expr.ts';
import { ANONYMOUS, type Name } from '../name.ts';
import type { BinderKind, CompiledBinder, CompiledConstant } from './module-data.ts';
import { displayName, publicName } from './names.ts';

export interface StatementBinder {
  /** Null if it cannot be written. */
  readonly name: string | null;
  readonly kind: BinderKind;
  /** Whether it is a type or a proposition. */
  readonly isSort: boolean;
}

/** A constant of the module, and an imported constant whose name equals the other's name or the end of it. */
export interface Hiding {
  readonly name: string;
  readonly hidden: string;
}

export interface StatementParts {
  /**
   * Declarations of the module, or of a neighbour, that the type mentions, including instances and coercions that Lean
   * inserted; sorted.
   */
  readonly own: readonly string[];
  /** Parts, and constants on which they depend, that can be read as an imported constant. */
  readonly hiding: readonly Hiding[];
  /** Name, with dots, of the constant at the head of the type below its binders; null if there is none. */
  readonly head: string | null;
  /** Outermost first. */
  readonly binders: readonly StatementBinder[];
}

export interface StatementSource {
  readonly terms: Terms;
  /** Whether a person wrote it. */
  isWritten(name: Name): boolean;
  /** Whether it belongs to the module or to a neighbour. */
  isOwn(name: Name): boolean;
  /** Whether there is a constant with that name outside the module and its neighbours. */
  isImported(name: Name): boolean;
  mentioned(name: Name): Iterable<Name>;
  mentionedInType(constant: CompiledConstant): Iterable<Name>;
  binders(name: Name): readonly CompiledBinder[];
}

export function statementParts(constant: CompiledConstant, source: StatementSource): StatementParts {
  const { names } = source.terms;
  const own = new Set<Name>();
  const reached = new Set<Name>();
  /** For each, whether it is part of the statement itself: of the type, or of a `match` in it. */
  const waiting = [...source.mentionedInType(constant)].map((name) => ({ name, isInside: true }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { name, isInside } = next;
    if (!source.isOwn(name) || (reached.has(name) && !isInside)) continue;
    const isPart = isInside && isBelow(source.terms, name, constant.name);
    if (isInside && !isPart) own.add(declarationOf(source, name));
    if (reached.has(name)) continue;
    reached.add(name);
    for (const its of source.mentioned(name)) waiting.push({ name: its, isInside: isPart });
  }
  const hiding = [...reached, ...own].flatMap((name) => hidingOf(source, name));
  return {
    own: [...own].map((name) => displayName(names, publicName(names, name))).sort(),
    hiding: [...new Map(hiding.map((one) => [one.name, one])).values()],
    head: headOf(constant.type, source.terms),
    binders: bindersOf(constant, source),
  };
}

/**
 * Returns the imported constants as which a written constant can be read: by its name, within its namespace, or where
 * that is open.
 */
export function hidingOf({ terms: { names }, isWritten, isImported }: StatementSource, name: Name): Hiding[] {
  if (!isWritten(name)) return [];
  const own = publicName(names, name);
  const parts = names.parts(own).map(String);
  for (let from = 0; from < parts.length; from++) {
    const hidden = parts.slice(from).reduce((prefix, part) => names.text(prefix, part), ANONYMOUS);
    if (isImported(hidden)) return [{ name: displayName(names, own), hidden: displayName(names, hidden) }];
  }
  return [];
}

/** Whether a name is below another one, ignoring prefixes of private names. */
function isBelow({ names }: Terms, name: Name, above: Name): boolean {
  const wanted = publicName(names, above);
  for (let at = publicName(names, name); at !== ANONYMOUS; at = names.prefix(at)) if (at === wanted) return true;
  return false;
}

/** Returns the written declaration for which Lean made the constant, or the constant itself. */
function declarationOf({ terms: { names }, isWritten }: StatementSource, name: Name): Name {
  for (let at = name; at !== ANONYMOUS; at = names.prefix(at)) if (isWritten(at)) return at;
  return name;
}

function headOf(type: Expr, terms: Terms): string | null {
  let at = type;
  while (terms.kind(at) === FORALL) at = terms.body(at);
  while (terms.kind(at) === APPLICATION) at = terms.fn(at);
  return terms.kind(at) === CONSTANT ? terms.names.print(terms.name(at)) : null;
}

function bindersOf({ name, type }: CompiledConstant, { terms, binders }: StatementSource): StatementBinder[] {
  let at = type;
  return binders(name).map((binder) => {
    const isSort = terms.kind(at) === FORALL && terms.kind(terms.binderType(at)) === SORT;
    if (terms.kind(at) === FORALL) at = terms.body(at);
    const { names } = terms;
    // Names that Lean generates contain a marker.
    const isWritable =
      binder.name !== ANONYMOUS && !names.print(binder.name).includes('_@') && names.prefix(binder.name) === ANONYMOUS;
    return { name: isWritable ? names.print(binder.name) : null, kind: binder.kind, isSort };
  });
}
