/** The one error of a checkpoint that cannot be trusted: which file, what is wrong with it. */
import { StpError } from '../data/errors.ts';

const ADVICE = 'The checkpoint was cut short or altered: fetch it again from the store, or train it again.';

export function damaged(file: string, problem: string, cause?: unknown): StpError {
  return new StpError('STP1302', `${file}: ${problem}`, ADVICE, { facts: { file }, cause });
}
