/** JSON that a command of this project has made: what does not fit its schema is damaged, and is to be made again. */
import type { z } from 'zod';
import { StpError } from './errors.ts';

export interface Maker {
  /** Throws STP1402 where the text does not fit; `where` is what the error calls it. */
  read<T>(text: string, schema: z.ZodType<T>, where: string): T;
  damaged(where: string, problem: string): StpError;
}

/** @param advice how to make it again */
export function madeBy(advice: string): Maker {
  const damaged = (where: string, problem: string): StpError =>
    new StpError('STP1402', `${where}: ${problem}`, advice, { facts: { where } });
  return {
    damaged,
    read(text, schema, where) {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        throw damaged(where, 'not JSON');
      }
      const result = schema.safeParse(value);
      if (result.success) return result.data;
      const issue = result.error.issues[0]!;
      throw damaged(where, `${issue.path.join('.') || 'value'}: ${issue.message}`);
    },
  };
}
