/** The symbols of a statement. */

import { expect, it } from 'vitest';
import { statementSymbols } from './statement-symbols.ts';

it('are constants, operators and methods, not the variables that the statement binds', () => {
  const statement = 'theorem t (xs ys : List Nat) : (xs ++ ys).reverse = ys.reverse ++ xs.reverse';
  expect([...statementSymbols(statement)].sort()).toEqual(['+', 'List', 'Nat', 'reverse']);
});
