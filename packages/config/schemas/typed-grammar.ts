/**
 * Well-typed equations, perhaps under a condition, as sequences of tokens: `function arguments… = term`, each term in prefix order, a
 * condition of the same form before them with `;` at its end (signs as in `equation-words.ts`). What is a term of which type follows from the symbols. A model that
 * samples under it can write nothing else.
 */
import { z } from 'zod';

const type = z.number().int().nonnegative();
const grammarSymbolSchema = z.strictObject({
  /** One token of the model. */
  token: z.string().min(1).max(64),
  arguments: z.array(type).readonly(),
  result: type,
  kind: z.enum(['function', 'constructor', 'variable']),
});
export type GrammarSymbol = z.infer<typeof grammarSymbolSchema>;

export const typedGrammarSchema = z.strictObject({
  /** Types are numbers. */
  symbols: z.array(grammarSymbolSchema).readonly(),
  /** The type whose equations with a constant may be conditions; null: none. */
  conditionType: type.nullable(),
  /** Tokens of one equation with its condition at most, the end included. */
  tokensMax: z.number().int().positive(),
});
export type TypedGrammar = Readonly<z.infer<typeof typedGrammarSchema>>;
