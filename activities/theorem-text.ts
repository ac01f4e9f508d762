/** Reads the text of a theorem. */

/** Matches keyword, name and universes, such as `theorem List.map_map.{u, v} `. */
const HEAD = /^(?:theorem|lemma)\s+\S+?(?:\.\{[^}]*\})?(?:\s+|$)/u;
/** Returns binders, colon and type of a theorem, without keyword and name. */
export const signatureOf = (statement: string): string => statement.replace(HEAD, '');
