/** Errors about unusable checkpoints: which file, and what is wrong with it. */
import { StpError } from '@stp/base';

const DAMAGED = 'The file was cut short or altered: fetch it again, or train the model again.';
const FOREIGN =
  'docs/models.md lists the models that the embedded engine runs. Serve another model with vLLM or `transformers serve`, and name its URL in STP_GENERATOR_URL (docs/serve.md).';

/** The error for a file that cannot be trusted. */
export function damaged(file: string, problem: string, cause?: unknown): StpError {
  return unusable(file, problem, DAMAGED, cause);
}

/** The error for a file that cannot be read. @param cause the system's error */
export function unreadable(file: string, cause: unknown): StpError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return damaged(file, code === 'ENOENT' ? 'it is missing' : message, cause);
}

/** The error for an intact file of an unsupported kind. */
export function foreign(file: string, problem: string, cause?: unknown): StpError {
  return unusable(file, `of a kind that is not read here: ${problem}`, FOREIGN, cause);
}

function unusable(file: string, problem: string, advice: string, cause: unknown): StpError {
  return new StpError('STP1302', `${file}: ${problem}`, advice, { facts: { file }, cause });
}
