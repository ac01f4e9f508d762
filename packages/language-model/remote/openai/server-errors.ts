/** Turns failures of a model server into `StpError`s: whether a retry can help, and advice if not. */
import { StpError } from '@stp/base';
import { quoted } from '@stp/http';

const UNREACHABLE_ADVICE =
  'See whether the model server runs and STP_GENERATOR_URL names it. Finished samples are kept for the next try.';

/** Returns whether the same request may succeed later: time-out, conflict, too many requests, server faults. */
function isTransient(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

export function connectionFailed(url: string, cause: unknown): StpError {
  if (cause instanceof StpError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StpError('STP1303', `no answer from ${url}: ${reason}`, UNREACHABLE_ADVICE, {
    retryable: true,
    facts: { url },
    cause,
  });
}

export function timedOut(url: string, timeoutMs: number): StpError {
  return new StpError('STP1303', `no whole answer from ${url} within ${timeoutMs} ms`, UNREACHABLE_ADVICE, {
    retryable: true,
    facts: { url, timeoutMs },
  });
}

export function answerTooLarge(url: string, bytesMax: number): StpError {
  const advice = 'Ask for fewer tokens, or see what answers at that address.';
  return new StpError('STP1303', `the answer of ${url} is larger than ${bytesMax} bytes`, advice, {
    facts: { url, bytesMax },
  });
}

/** The error for an answer with status 200 that breaks the API: another kind of server, or a proxy's page. */
export function malformedAnswer(url: string, problem: string): StpError {
  const advice = 'See what answers at that address: an OpenAI-compatible server is needed, the address ends in /v1.';
  return new StpError('STP1303', `${url} gave no answer of an OpenAI-compatible server: ${quoted(problem)}`, advice, {
    facts: { url },
  });
}

/** Facts that a refusal states about its request. */
export interface RefusalFacts {
  readonly contextExceeded: boolean;
  readonly choicesRefused: boolean;
  /** A field that OpenAI's API does not have. */
  readonly extraRefused: boolean;
}

/** The error for an answer with an error status; `message` is the server's. */
export function refused(url: string, status: number, message: string, facts: RefusalFacts): StpError {
  const retryable = isTransient(status);
  const advice = adviceFor(url, status, message, retryable);
  return new StpError('STP1303', `${url} answered ${status}: ${quoted(message)}`, advice, {
    retryable,
    facts: { url, status, ...facts },
  });
}

export function modelNotServed(url: string, name: string, served: readonly string[]): StpError {
  const list = served.length === 0 ? 'nothing' : quoted(served.join(', '));
  return notServed(name, [`${url} serves ${list}`]);
}

/** The error if none of several servers has the model; `errors` are their answers. */
export function servedNowhere(name: string, errors: readonly StpError[]): StpError {
  return notServed(
    name,
    errors.flatMap(({ facts }) => facts.servers as readonly string[]),
  );
}

function notServed(name: string, servers: readonly string[]): StpError {
  return new StpError(
    'STP1304',
    `checkpoint ${name} is wanted, ${servers.join('; ')}`,
    `Serve that checkpoint under its own name (bin/stp serve --model DIR --name ${name}, or vllm serve DIR --served-model-name ${name}), then try again.`,
    { facts: { name, servers } },
  );
}

function adviceFor(url: string, status: number, message: string, retryable: boolean): string {
  if (/chat.?template/i.test(message))
    return 'The tokenizer has no chat template: give the server one (vllm serve --chat-template FILE), or use a custom prompt format of mode completion (docs/models.md).';
  if (status === 404 && url.endsWith('/chat/completions'))
    return 'The server has no chat endpoint, or not this model: use a server with one, or a custom prompt format of mode completion (docs/models.md).';
  if (status === 401 || status === 403) return 'Put the key that the server wants into STP_GENERATOR_KEY.';
  if (status === 404) return 'See whether STP_GENERATOR_URL ends in the root of the API (/v1) and the model is served.';
  if (retryable) return UNREACHABLE_ADVICE;
  return 'The server will not take this request, now or later: see its message and its limits.';
}
