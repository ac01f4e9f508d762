/**
 * Equations as words, for models that write them symbol by symbol: each term in prefix order, `append 1#0 List.nil =
 * 1#0`. A condition comes first and ends with `;`. Names are full names; `1#0` is the first variable of type 1.
 */
import { z } from 'zod';

export const EQUALS = '=';
export const IMPLIES = ';';
/** Maximum number of words in an equation. */
export const WORDS_MAX = 64;

const number = z.number().int().nonnegative();
const wordSchema = z.string().min(1).max(1024);
export const equationWordsSchema = z.array(wordSchema).min(3).max(WORDS_MAX);

/** The parts of terms over some functions: types, variables, functions. A type is its index in `types`. */
export const termSignatureSchema = z.strictObject({
  types: z.array(
    z.strictObject({
      /** Full name of an inductive type, `α` for element types, `→` for function types. */
      head: z.string(),
      /** Number of variables of this type that an equation may have. */
      variables: number,
    }),
  ),
  symbols: z.array(
    z.strictObject({ name: wordSchema, arguments: z.array(number), result: number, isConstructor: z.boolean() }),
  ),
});
export type TermSignature = z.infer<typeof termSignatureSchema>;

export const variableWord = (type: number, index: number): string => `${type}#${index}`;
