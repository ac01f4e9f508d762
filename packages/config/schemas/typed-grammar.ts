/**
 * Well-typed equations as sequences of tokens: `function arguments… = term`, each term in prefix order. A condition of
 * the same form may come first and ends with `;` (signs as in `equation-words.ts`). The symbols' types determine which
 * terms are well typed. A model that samples under the grammar can write nothing else.
 */
import { z } from 'zod';

const type = z.number().int().nonnegative();
const grammarSymbolSchema = z.strictObject({
  token: z.string().min(1).max(64),
  arguments: z.array(type).readonly(),
  result: type,
  kind: z.enum(['function', 'constructor', 'variable']),
});
export type GrammarSymbol = z.infer<typeof grammarSymbolSchema>;

export const typedGrammarSchema = z.strictObject({
  /** A type is a number. */
  symbols: z.array(grammarSymbolSchema).readonly(),
  /** The type whose equations with a constant may be conditions; null: none. */
  conditionType: type.nullable(),
  /** Maximum tokens of one equation with its condition, the end included. */
  tokensMax: z.number().int().positive(),
});
export type TypedGrammar = Readonly<z.infer<typeof typedGrammarSchema>>;
