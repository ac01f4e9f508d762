/** A tool of the server: its input, its output, and its implementation. */
import { z } from 'zod';
import type { ToolCall, Workbench } from './workbench.ts';

/** Maximum time of a call, s. */
export const SECONDS_MAX = 3_600;

export interface Tool<Input extends z.ZodRawShape = z.ZodRawShape, Output extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  /** Returns the maximum time of a call with this input, s. */
  limitSeconds(input: z.output<z.ZodObject<Input>>): number;
  /** Whether the tool answers with its results so far when its time is over. */
  readonly answersLate?: boolean;
  run(input: z.output<z.ZodObject<Input>>, bench: Workbench, call: ToolCall): Promise<z.input<z.ZodObject<Output>>>;
}

/** Erases the types of a tool, for the list of tools. */
export function tool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(its: Tool<Input, Output>): Tool {
  return its as unknown as Tool;
}

/** The time that a call names in `timeout_seconds`, or the tool's default, s. */
export function namedLimit(seconds: number) {
  return ({ timeout_seconds: named }: { readonly timeout_seconds?: number | undefined }): number => named ?? seconds;
}

export const timeoutSeconds = z
  .number()
  .min(1)
  .max(SECONDS_MAX)
  .optional()
  .describe('wall time of the call, seconds; then its work is ended');
