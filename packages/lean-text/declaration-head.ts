/**
 * Finds the end of a statement's name: `theorem NAME.{u v}`, with parts of the name in guillemets (`Foo.«a b»`) and
 * universes.
 */

const PART = '(?:«[^»\\n]*»|[^\\s.:({[⦃«»]+)';
/** The name in the first group. Names of universes are the declaration's own, as its name is. */
const HEAD = new RegExp(`^\\s*(?:theorem|lemma)\\s+(${PART}(?:\\.${PART})*)(?:\\.\\{[^}]*\\})?`, 'u');

/** The keyword, the name and the universes as they stand there, and the name alone; null where the text begins otherwise. */
export function declarationHead(statement: string): { readonly text: string; readonly name: string } | null {
  const match = HEAD.exec(statement);
  return match === null ? null : { text: match[0], name: match[1]! };
}
