/** Serialises an error of the engine's process for its parent, which restores it as an `StpError`. */
import { type ErrorCode, StpError } from '@stp/base';
import { causeWith, systemCodeOf } from '../../process/system-code.ts';

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly advice: string;
  readonly retryable: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly systemCode?: string | undefined;
}

const ENGINE_ADVICE =
  'Run with fewer threads or a smaller batch where memory is short; else report it with the message above.';

export function failureOf(error: unknown): Failure {
  if (error instanceof StpError) {
    const { code, message, advice, retryable, facts } = error;
    return { code, message, advice, retryable, facts, systemCode: systemCodeOf(error) };
  }
  const message = error instanceof Error ? error.message : String(error);
  // ONNX Runtime and V8 both say "alloc…" when memory runs out; a retry may succeed.
  return { code: 'STP1301', message, advice: ENGINE_ADVICE, retryable: /alloc/i.test(message), facts: {} };
}

export function errorOf(failure: Failure): StpError {
  const { code, message, advice, retryable, facts, systemCode } = failure;
  return new StpError(code, message, advice, { retryable, facts, ...causeWith(systemCode) });
}
