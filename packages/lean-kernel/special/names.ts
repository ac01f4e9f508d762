/**
 * The names that this kernel knows. A name alone proves nothing: `constants.ts` verifies facts about the declared
 * constant before it is treated specially. Only the files of this folder use these names.
 */
import type { Name, NameTable } from '../name.ts';

const tables = new WeakMap<NameTable, KnownNames>();

/** Returns the names in a table, looked up once. */
export function knownNames(names: NameTable): KnownNames {
  let known = tables.get(names);
  if (known === undefined) {
    known = new KnownNames(names);
    tables.set(names, known);
  }
  return known;
}

export class KnownNames {
  readonly nat: Name;
  readonly natZero: Name;
  readonly natSucc: Name;
  readonly bool: Name;
  readonly boolTrue: Name;
  readonly boolFalse: Name;
  readonly char: Name;
  readonly charOfNat: Name;
  readonly string: Name;
  readonly stringOfList: Name;
  readonly stringMk: Name;
  readonly list: Name;
  readonly listNil: Name;
  readonly listCons: Name;
  readonly eq: Name;
  readonly eqRefl: Name;
  readonly quot: Name;
  readonly quotMk: Name;
  readonly quotLift: Name;
  readonly quotInd: Name;

  constructor(names: NameTable) {
    this.nat = names.of('Nat');
    this.natZero = names.of('Nat.zero');
    this.natSucc = names.of('Nat.succ');
    this.bool = names.of('Bool');
    this.boolTrue = names.of('Bool.true');
    this.boolFalse = names.of('Bool.false');
    this.char = names.of('Char');
    this.charOfNat = names.of('Char.ofNat');
    this.string = names.of('String');
    this.stringOfList = names.of('String.ofList');
    this.stringMk = names.of('String.mk');
    this.list = names.of('List');
    this.listNil = names.of('List.nil');
    this.listCons = names.of('List.cons');
    this.eq = names.of('Eq');
    this.eqRefl = names.of('Eq.refl');
    this.quot = names.of('Quot');
    this.quotMk = names.of('Quot.mk');
    this.quotLift = names.of('Quot.lift');
    this.quotInd = names.of('Quot.ind');
  }
}
