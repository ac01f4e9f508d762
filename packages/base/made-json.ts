/**
 * JSON that a command of this project has written. If it does not match its schema, it is damaged and must be written
 * again.
 */
import type { z } from 'zod';
import { StpError } from './errors.ts';

export interface Maker {
  /** Throws STP1402 if the text does not match; the error refers to it as `where`. */
  read<T>(text: string, schema: z.ZodType<T>, where: string): T;
  damaged(where: string, problem: string): StpError;
}

/** @param advice how to write it again */
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
