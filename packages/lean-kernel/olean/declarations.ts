/**
 * Makes declarations for the kernel from constants of compiled modules. Assembles an inductive block from its parts.
 */
import type { Declaration } from '../declaration.ts';
import type { Terms } from '../expr.ts';
import type { Name } from '../name.ts';
import { Damaged } from './heap.ts';
import type { CompiledConstant } from './module-data.ts';

/** Maximum auxiliary recursors of one block. Each requires looking up a name. */
const NESTED_MAX = 10_000;

/** Returns the constant with this name, or null if the source has none. */
type Find = (name: Name) => CompiledConstant | null;

/** Returns the declaration that makes the constant. Throws `Damaged` if parts of an inductive block are missing. */
export function declarationOf(terms: Terms, constant: CompiledConstant, find: Find): Declaration {
  switch (constant.kind) {
    case 'inductive':
      return inductiveDeclaration(terms, constant.block, find);
    case 'constructor':
      return inductiveDeclaration(terms, blockOf(terms, constant.inductive, find), find);
    case 'recursor':
      return inductiveDeclaration(terms, constant.block, find);
    default:
      return constant;
  }
}

function blockOf(terms: Terms, name: Name, find: Find): readonly Name[] {
  return typeOf(terms, name, find).block;
}

function inductiveDeclaration(terms: Terms, block: readonly Name[], find: Find): Declaration {
  const types = block.map((name) => typeOf(terms, name, find));
  const first = types[0];
  if (first === undefined) throw new Damaged('an inductive block without types');
  if (first.nested > NESTED_MAX) throw new Damaged(`${terms.names.print(first.name)} is nested in too many types`);
  const recursors = [
    ...block.map((name) => terms.names.text(name, 'rec')),
    ...Array.from({ length: first.nested }, (_, index) => terms.names.text(first.name, `rec_${index + 1}`)),
  ];
  return {
    kind: 'inductive',
    isUnsafe: types.some((type) => type.isUnsafe),
    types,
    constructors: types.flatMap((type) =>
      type.constructors.map((name) => {
        const found = find(name);
        if (found?.kind !== 'constructor') throw new Damaged(`no constructor ${terms.names.print(name)}`);
        return found;
      }),
    ),
    recursors: recursors.map((name) => {
      const found = find(name);
      if (found?.kind !== 'recursor') throw new Damaged(`no recursor ${terms.names.print(name)}`);
      return found;
    }),
  };
}

function typeOf(terms: Terms, name: Name, find: Find): CompiledConstant & { kind: 'inductive' } {
  const found = find(name);
  if (found?.kind !== 'inductive') throw new Damaged(`no inductive type ${terms.names.print(name)}`);
  return found;
}
