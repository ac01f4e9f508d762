/**
 * `check`, `verify_proof` and `disprove` of AXLE, implemented with this project's judges. The answer lists options that
 * are not supported.
 */
import { StpError } from '@stp/base';
import { nameParts, tokenize } from '@stp/lean-text';
import type { z } from 'zod';
import type { SandboxFacts } from '../../runtime/sandbox/sandbox.ts';
import type { FileReport } from '../../trust/file-report.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import { checkBatch } from '../check-batch.ts';
import type { CheckRoutes } from '../check-routes.ts';
import type { VerdictTools } from '../verdicts/verdict-tools.ts';
import type { WirePosition } from '../wire.ts';
import {
  declarationsAt,
  defaultImports,
  environmentName,
  leanMessages,
  noMessages,
  wireMessages,
  withImports,
} from './axle-text.ts';
import type {
  AxleFailure,
  AxleInfo,
  AxleMessages,
  axleCheckAnswerSchema,
  axleCheckSchema,
  axleDisproveAnswerSchema,
  axleDisproveSchema,
  axleVerifyAnswerSchema,
  axleVerifySchema,
} from './axle-wire.ts';

export interface AxleParts extends Omit<CheckRoutes, 'tracker'> {
  readonly environment: LeanEnvironment;
  readonly sandbox: SandboxFacts;
  readonly tools: VerdictTools;
}

type CheckRequest = z.infer<typeof axleCheckSchema>;
type VerifyRequest = z.infer<typeof axleVerifySchema>;
type DisproveRequest = z.infer<typeof axleDisproveSchema>;
type Answer<Schema extends z.ZodType> = Promise<z.infer<Schema> | AxleFailure>;

/** Request options that have no effect here. The answer reports them. */
type Unread = Pick<CheckRequest, 'mathlib_options' | 'run_env_linters' | 'verbosity' | 'delab_options'>;

const HOLE = /^declaration uses `?'?sorry/u;

/** Compiles the text and judges its declarations; the answer names those that fail. */
export async function axleCheck(
  request: CheckRequest,
  parts: AxleParts,
  signal: AbortSignal,
): Answer<typeof axleCheckAnswerSchema> {
  const begunMs = performance.now();
  const { tools, hidePaths } = parts;
  const refused = refusal(request, ['global_options']);
  if (refused !== null) return refused;
  const content = contentOf(request, parts);
  const timeoutMs = 1_000 * request.timeout_seconds;
  const [result] = await checkBatch([{ id: 'content', code: content }], {
    ...parts,
    timeoutMs,
    cpuTimeoutMs: null,
    fresh: false,
    debug: false,
    signal,
  });
  const { outcome, error, response } = result!;
  if (outcome === 'timeout') return { error_type: 'LeanTimeout', error: error ?? 'Lean took too long' };
  if (outcome === 'memory')
    return { error_type: 'LeanResourceExceeded', error: error ?? 'Lean needed too much memory' };
  if (error) return { error };
  const messages = response?.messages ?? [];
  const errors = messages.filter(({ severity }) => severity === 'error');
  const holes = messages.filter(({ severity, data }) => severity === 'warning' && HOLE.test(data));
  const tool = warningsOf(request, ['names', 'indices']);
  // Lean's messages need not match the compiled module: axioms, or declarations that only seem to exist.
  const report = await tools.files.check(content, timeoutMs, signal);
  const failed = failedNames(
    content,
    [...errors, ...holes].map(({ pos }) => pos),
    report,
  );
  for (const { name, verdict, message } of failedIn(report))
    tool.warnings.push(`${name}: ${verdict}: ${hidePaths(message)}`);
  if (report.reason) tool.warnings.push(`the file is ${report.outcome}: ${hidePaths(report.reason)}`);
  return {
    okay: errors.length === 0,
    content,
    lean_messages: wireMessages(messages),
    tool_messages: tool,
    failed_declarations: [...failed],
    ...closing(begunMs, parts, ['timings beside total_ms']),
  };
}

/** Tests whether `content` proves every theorem of `formal_statement` under the same name and with the same type. */
export async function axleVerify(
  request: VerifyRequest,
  parts: AxleParts,
  signal: AbortSignal,
): Answer<typeof axleVerifyAnswerSchema> {
  const begunMs = performance.now();
  const { environment, tools, hidePaths } = parts;
  const refused = refusal(request, [
    ...(['global_options', 'permitted_sorries', 'verify_negation'] as const),
    ...(['allow_statement_axioms', 'allow_bv_decide'] as const),
  ]);
  if (refused !== null) return refused;
  const content = contentOf(request, parts);
  const statements = request.ignore_imports
    ? withImports(request.formal_statement, defaultImports(environment))
    : request.formal_statement;
  const report = await tools.files.verify(statements, content, 1_000 * request.timeout_seconds, signal);
  if ('problem' in report) return { user_error: hidePaths(report.problem) };
  const failure = fileFailure(report, hidePaths);
  if (failure !== null) return failure;
  const tool = warningsOf(request, []);
  const errors = report.messages.filter(({ severity }) => severity === 'error');
  const failed = failedNames(content, errors, report);
  // Without a compiled module nothing was compared; Lean's messages explain why.
  for (const { name, statement } of report.stated ?? []) {
    if (statement === 'same') continue;
    failed.add(name);
    tool.errors.push(
      statement === 'missing'
        ? `Missing required declaration '${name}'`
        : `Theorem '${name}' does not match expected signature`,
    );
  }
  for (const { name, message } of failedIn(report)) tool.errors.push(`In '${name}': ${hidePaths(message)}`);
  if (report.reason !== '') tool.errors.push(`content is ${report.outcome}: ${hidePaths(report.reason)}`);
  const isStated = report.stated?.every(({ statement }) => statement === 'same') ?? false;
  return {
    okay: report.outcome === 'accepted' && isStated,
    content,
    lean_messages: leanMessages(report.messages, hidePaths),
    tool_messages: tool,
    failed_declarations: [...failed],
    ...closing(begunMs, parts, ['timings beside total_ms', 'negation', 'use_def_eq: types are compared as terms']),
  };
}

/** Searches for false theorems: tries test values and tactics on each negation. */
export async function axleDisprove(
  request: DisproveRequest,
  parts: AxleParts,
  signal: AbortSignal,
): Answer<typeof axleDisproveAnswerSchema> {
  const begunMs = performance.now();
  const { tools, hidePaths } = parts;
  const refused = refusal(request, ['global_options']);
  if (refused !== null) return refused;
  const content = contentOf(request, parts);
  const theorems = tools.theoremsIn(content);
  const chosen = selected(theorems, request);
  if ('problem' in chosen) return { user_error: chosen.problem };
  // The answer identifies theorems by their names as written.
  const twice = chosen.find(({ name }, index) => chosen.findIndex((one) => one.name === name) < index);
  if (twice !== undefined) return { user_error: `several theorems are written ${twice.name}: choose one by its index` };
  const results: Record<string, string> = {};
  const negated: Record<string, string> = {};
  const disproved: string[] = [];
  for (const theorem of chosen) {
    const above = theorems.slice(0, theorems.indexOf(theorem));
    const mentioned = above.find((one) => mentions(theorem.statement, one.name));
    if (mentioned !== undefined) {
      results[theorem.name] = `unknown: it mentions the theorem ${mentioned.name} above it, which is not stated here`;
      continue;
    }
    const found = await tools.disprove(theorem, request.terminal_tactics, signal);
    if (found.verdict === 'infra') throw new StpError('STP1203', found.words, 'Try again.', { retryable: true });
    results[theorem.name] = `${found.verdict}: ${hidePaths(found.words)}`;
    if (found.statement !== null) negated[theorem.name] = found.statement.replace(/^theorem \S+ : /u, '');
    if (found.verdict === 'disproved') disproved.push(theorem.name);
  }
  return {
    content,
    lean_messages: noMessages(),
    tool_messages: warningsOf(request, []),
    results,
    negated,
    disproved_theorems: disproved,
    ...closing(begunMs, parts, ['timings beside total_ms', 'lean_messages']),
  };
}

/** Whether a text may refer to the theorem with this name. */
function mentions(text: string, name: string): boolean {
  const last = nameParts(name).at(-1)!;
  return tokenize(text).some((token) => token.kind === 'word' && nameParts(token.text).includes(last));
}

function contentOf({ content, ignore_imports }: CheckRequest | VerifyRequest | DisproveRequest, parts: AxleParts) {
  return ignore_imports ? withImports(content, defaultImports(parts.environment)) : content;
}

/** Refuses options that would change what is accepted. */
function refusal<Request extends object>(
  request: Request,
  keys: readonly (keyof Request & string)[],
): AxleFailure | null {
  const set = keys.find((key) => isSet(request[key]));
  return set === undefined ? null : { user_error: `${set} is not to be had here: leave it out` };
}

function warningsOf<Request extends Unread>(request: Request, more: readonly (keyof Request & string)[]): AxleMessages {
  const keys = [...(['mathlib_options', 'run_env_linters', 'verbosity', 'delab_options'] as const), ...more];
  const warnings = keys.filter((key) => isSet(request[key])).map((key) => `${key} is not read here`);
  return { ...noMessages(), warnings };
}

const isSet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

const failedIn = ({ theorems, examples = [] }: FileReport) =>
  [...theorems, ...examples].filter(({ verdict }) => verdict !== 'accepted');

/** Keywords of declarations that a report can list as theorems. */
const THEOREMS = new Set(['theorem', 'lemma', 'example', 'instance']);

/**
 * Names the declarations that are not accepted, in full, and other declarations at positions of Lean's errors, as
 * written.
 */
function failedNames(content: string, objections: readonly WirePosition[], report: FileReport): Set<string> {
  const failed = failedIn(report).map(({ name }) => name);
  // `failed` already has the full names of theorems, so their short names are left out.
  const further = declarationsAt(content, objections).filter(
    ({ keyword, name }) => !THEOREMS.has(keyword) || !failed.some((one) => one === name || one.endsWith(`.${name}`)),
  );
  return new Set([...further.map(({ name }) => name), ...failed]);
}

/** Returns the failure if a limit or the machine stopped Lean, in which case there is no verdict. */
function fileFailure({ exit, reason }: FileReport, hide: (text: string) => string): AxleFailure | null {
  if (exit === 'deadline') return { error_type: 'LeanTimeout', error: hide(reason) };
  if (exit === 'memory') return { error_type: 'LeanResourceExceeded', error: hide(reason) };
  if (exit === 'not-started') throw new StpError('STP1203', reason, 'Try again.', { retryable: true });
  return exit === 'crashed' || exit === 'output' ? { error: hide(reason) } : null;
}

function closing(begunMs: number, { environment, sandbox, hidePaths }: AxleParts, notFilled: readonly string[]) {
  const info: AxleInfo = {
    lean: hidePaths(environment.version),
    environment: environmentName(environment),
    sandbox: hidePaths(`${sandbox.kind}: ${sandbox.description}`),
    not_filled: [...notFilled],
  };
  return { timings: { total_ms: Math.round(performance.now() - begunMs) }, info };
}

/**
 * Selects theorems by name (full, or its last components) and by index (negative ones count from the end). Selects all
 * if neither is given.
 */
function selected<Theorem extends { readonly name: string }>(
  theorems: readonly Theorem[],
  { names, indices }: Pick<DisproveRequest, 'names' | 'indices'>,
): readonly Theorem[] | { readonly problem: string } {
  if (names.length === 0 && indices.length === 0) return theorems;
  const chosen = new Set<Theorem>();
  for (const name of names) {
    const exact = theorems.filter((theorem) => theorem.name === name);
    const found = exact.length > 0 ? exact : theorems.filter((theorem) => theorem.name.endsWith(`.${name}`));
    if (found.length !== 1)
      return { problem: `${found.length === 0 ? 'no theorem is' : 'several theorems are'} called ${name}` };
    chosen.add(found[0]!);
  }
  for (const index of indices) {
    const theorem = theorems.at(index);
    if (theorem === undefined) return { problem: `there is no theorem ${index}: content has ${theorems.length}` };
    chosen.add(theorem);
  }
  return theorems.filter((theorem) => chosen.has(theorem));
}
