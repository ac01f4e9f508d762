/**
 * Finds the end of a statement's name: `theorem NAME.{u v}`, whose components may be in guillemets (`Foo.«a b»`), with
 * universes.
 */

const PART = '(?:«[^»\\n]*»|[^\\s.:({[⦃«»]+)';
/** The first group matches the name. The names of universes belong to the declaration, like its name. */
const HEAD = new RegExp(`^\\s*(?:theorem|lemma)\\s+(${PART}(?:\\.${PART})*)(?:\\.\\{[^}]*\\})?`, 'u');

/** Returns keyword, name and universes as written, and the name alone; null if the text begins otherwise. */
export function declarationHead(statement: string): { readonly text: string; readonly name: string } | null {
  const match = HEAD.exec(statement);
  return match === null ? null : { text: match[0], name: match[1]! };
}
