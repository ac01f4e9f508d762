/** Converts failures of a Lean server to `StpError`s: which ones can be retried, and what to do about the others. */
import { StpError } from '@stp/base';
import { type HttpFailures, quoted } from '@stp/http';

const UNREACHABLE_ADVICE = 'See whether the Lean server runs and STP_LEAN_URL names it.';

function retryable(
  message: string,
  url: string,
  { cause, status }: { cause?: unknown; status?: number } = {},
): StpError {
  const facts = status === undefined ? { url } : { url, status };
  return new StpError('STP1203', message, UNREACHABLE_ADVICE, { retryable: true, facts, cause });
}

export const transportFailures: HttpFailures = {
  connectionFailed: (url, cause) =>
    cause instanceof StpError
      ? cause
      : retryable(`no answer from ${url}: ${cause instanceof Error ? cause.message : String(cause)}`, url, { cause }),
  timedOut: (url, timeoutMs) => retryable(`no whole answer from ${url} within ${timeoutMs} ms`, url),
  answerTooLarge: (url, bytesMax) => retryable(`the answer of ${url} is larger than ${bytesMax} bytes`, url),
};

export function malformed(url: string, problem: string): StpError {
  return retryable(`${url} gave no answer of a Lean server: ${quoted(problem)}`, url);
}

/** The error for an answer with an error status. `said` is the server's text. */
export function refused(url: string, status: number, said: string): StpError {
  const message = `${url} answered ${status}: ${quoted(said)}`;
  if (status === 408 || status === 429 || status >= 500) return retryable(message, url, { status });
  const advice =
    status === 401 || status === 403
      ? 'Put the key that the server wants into STP_LEAN_KEY.'
      : 'See whether STP_LEAN_URL names a server with the contract of Kimina, and what its message and limits say.';
  return new StpError('STP1203', message, advice, { facts: { url, status } });
}

/** The server failed on this text but is otherwise healthy, so the text may be the cause. */
export class CheckFault extends StpError {
  constructor(url: string, said: string) {
    super('STP1203', `${url} failed over a check: ${quoted(said)}`, UNREACHABLE_ADVICE, {
      retryable: true,
      facts: { url },
    });
  }
}

export function otherLean(url: string, theirs: string, ours: string): StpError {
  return new StpError(
    'STP1203',
    `${url} checks with ${theirs}, this run with ${ours}`,
    'Serve the same Lean and library there, since a verdict is kept under the name of the Lean that gave it.',
    { facts: { url } },
  );
}

export function notSandboxed(url: string, said: string): StpError {
  return new StpError(
    'STP1205',
    `${url} does not run its Lean in a sandbox: ${quoted(said)}`,
    'Serve with `bin/stp lean serve --sandbox required`, or set verification.sandbox=where-available.',
    { facts: { url } },
  );
}
