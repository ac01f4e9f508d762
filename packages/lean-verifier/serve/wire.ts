/**
 * The service's requests and answers, in the format of Kimina's server (project-numina/kimina-lean-server,
 * `routers/check.py`, `routers/backward.py`) and its clients. The same schemas check requests and make the OpenAPI
 * document.
 */
import { z } from 'zod';
import { CODE_CHARS_MAX, ID_CHARS_MAX, SNIPPETS_MAX } from './limits.ts';

/** Kimina's defaults, seconds. */
const TIMEOUT_SECONDS = 30;
const LEGACY_TIMEOUT_SECONDS = 300;

const codeSchema = z.string().max(CODE_CHARS_MAX).describe('Lean 4 source: a whole file, imports first');
const infotreeSchema = z
  .enum(['full', 'tactics', 'original', 'substantive'])
  .nullish()
  .describe('Not to be had here: anything but null is answered with 422');
const timeoutSchema = z.number().positive();

const snippetSchema = z.object({ id: z.string().max(ID_CHARS_MAX), code: codeSchema });

export const checkRequestSchema = z.object({
  snippets: z
    .array(snippetSchema)
    .min(1)
    .max(SNIPPETS_MAX)
    .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, 'ids must be unique'),
  timeout: timeoutSchema
    .default(TIMEOUT_SECONDS)
    .describe('Seconds that Lean may take for each snippet; waiting for a process does not count'),
  cpu_timeout: timeoutSchema
    .nullish()
    .describe(
      'Not in Kimina: processor seconds that Lean may take, so that a busy machine does not turn a slow check into a time-out',
    ),
  debug: z.boolean().default(false).describe('Tell process, times and memory of each check'),
  reuse: z.boolean().default(true).describe('False: check each snippet in a process that has checked nothing yet'),
  infotree: infotreeSchema,
});

export const legacyRequestSchema = z.object({
  codes: z
    .array(
      z
        .object({
          custom_id: z.union([z.string().max(ID_CHARS_MAX), z.int()]),
          proof: codeSchema.nullish(),
          code: codeSchema.nullish(),
        })
        .refine(({ proof, code }) => (proof ?? code ?? null) !== null, 'has neither `proof` nor `code`'),
    )
    .min(1)
    .max(SNIPPETS_MAX),
  timeout: timeoutSchema.default(LEGACY_TIMEOUT_SECONDS),
  infotree_type: infotreeSchema,
  disable_cache: z.boolean().default(false).describe('As `reuse: false`'),
});

const positionSchema = z.object({ line: z.int(), column: z.int() });
export type WirePosition = Readonly<z.infer<typeof positionSchema>>;

const messageSchema = z.object({
  severity: z.enum(['info', 'warning', 'error']),
  pos: positionSchema,
  endPos: positionSchema.nullish(),
  data: z.string(),
});
export type WireMessage = Readonly<z.infer<typeof messageSchema>>;

const sorrySchema = z.object({
  pos: positionSchema,
  endPos: positionSchema,
  goal: z.string().describe('The goal as Lean prints it; empty where it is not known'),
});
export type WireSorry = Readonly<z.infer<typeof sorrySchema>>;

/** The answer in the REPL's format. */
const commandResponseSchema = z.object({
  env: z.int().nullish(),
  messages: z.array(messageSchema).nullish(),
  sorries: z.array(sorrySchema).nullish(),
});

/** How a check ended. `checked` and `header_error` have a `response`, the others an `error`. */
export const outcomeSchema = z.enum(['checked', 'header_error', 'timeout', 'memory', 'output', 'crash', 'unavailable']);
export type Outcome = z.infer<typeof outcomeSchema>;

const diagnosticsSchema = z.object({
  repl_uuid: z.string().nullish().describe('The process; equal for checks that ran in the same one'),
  cpu_max: z.number().nullish().describe('Processor use during the check, percent of one core'),
  memory_max: z.number().nullish().describe('Highest resident memory during the check, bytes'),
  cpu_time: z.number().nullish().describe('Processor time, seconds'),
  queue_time: z.number().nullish().describe('Wait for a process, seconds'),
  header_time: z.number().nullish().describe('Start and imports of a new process, seconds'),
});

const resultSchema = z.object({
  id: z.string(),
  time: z.number().describe('Seconds that Lean took for what follows the imports'),
  error: z.string().nullish(),
  response: commandResponseSchema.nullish(),
  outcome: outcomeSchema.nullish().describe('Not in Kimina: how the check ended'),
  diagnostics: diagnosticsSchema.nullish(),
});
export type WireResult = Readonly<z.infer<typeof resultSchema>>;
export const checkAnswerSchema = z.object({ results: z.array(resultSchema) });

export const legacyAnswerSchema = z.object({
  results: z.array(
    z.object({
      custom_id: z.string(),
      error: z.string().nullable(),
      response: commandResponseSchema.extend({ time: z.number() }).nullable(),
    }),
  ),
});

export const healthAnswerSchema = z.object({ status: z.string() });

/** Facts that a client needs to trust the verdicts of this server. */
export const environmentAnswerSchema = z.object({
  lean: z.string().describe('Version, and how this Lean came here'),
  fingerprint: z.string().describe('Hash of the toolchain and every library file'),
  driver: z.string(),
  sandbox: z.string(),
  processes: z.int(),
  timeout_max: z.number().describe('Longest `timeout` of a request, seconds'),
  formats: z.array(z.string()).default([]).describe('Prompt formats by which `POST /api/verify` reads answers'),
});

/** The error format of FastAPI, which clients of Kimina print. */
export const errorAnswerSchema = z.object({
  detail: z.union([
    z.string(),
    z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() })),
  ]),
});
