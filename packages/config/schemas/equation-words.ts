/**
 * Equations as words, for those who write them symbol by symbol: each term in prefix order, `append 1#0 List.nil = 1#0`; a condition
 * stands first and ends with `;`. Names are full names, `1#0` is the first variable of the type of that number.
 */
import { z } from 'zod';

export const EQUALS = '=';
export const IMPLIES = ';';
/** Words of one equation. */
export const WORDS_MAX = 64;

const number = z.number().int().nonnegative();
const wordSchema = z.string().min(1).max(1024);
export const equationWordsSchema = z.array(wordSchema).min(3).max(WORDS_MAX);

/** The parts of terms over some functions: types, variables, functions. A type is a number, its place in `types`. */
export const termSignatureSchema = z.strictObject({
  types: z.array(
    z.strictObject({
      /** Full name of an inductive type, `α` of elements, `→` of functions. */
      head: z.string(),
      /** Variables that an equation may have of it. */
      variables: number,
    }),
  ),
  symbols: z.array(
    z.strictObject({ name: wordSchema, arguments: z.array(number), result: number, isConstructor: z.boolean() }),
  ),
});
export type TermSignature = z.infer<typeof termSignatureSchema>;

export const variableWord = (type: number, index: number): string => `${type}#${index}`;
