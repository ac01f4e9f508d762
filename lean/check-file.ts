/**
 * Judges every theorem of a whole Lean file. Two processes: the first compiles the file into a module, the second loads
 * that module with no text of the file around and prints the axioms of each theorem by full name, so that nothing the file
 * says can change the answer. A third makes sure that those names were not there before. A theorem that cannot be found
 * or told apart is `unchecked`, never accepted, and so is every theorem of a file that runs code of its own
 * (`verdict/file-policy.ts`). For a certificate more checkers look at the module (`certificate/`): what one of them refuses
 * is not accepted.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { CheckRecord, LeanMessage, SandboxFacts } from '../data/schemas/records.ts';
import type { Checker, CompiledFile } from './certificate/checker.ts';
import { runCheckers } from './certificate/run-checkers.ts';
import { readLean } from './process/its-own-end.ts';
import type { LeanExit } from './process/spawn.ts';
import { noSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { isSorry, splitAxioms } from './verdict/axioms.ts';
import { findUnjudgeable } from './verdict/file-policy.ts';
import { type FileScan, type FoundTheorem, scanFile } from './verdict/file-scan.ts';
import { openLibraryAxioms } from './verdict/library-axioms.ts';
import { printAxioms } from './verdict/print-axioms.ts';
import type { LeanEnvironment } from './verifier.ts';

/** Mathlib's largest file is about 0.2 MB. */
export const FILE_BYTES_MAX = 4_194_304;
export const FILE_TIMEOUT_MS = 600_000;
const MEMORY_BYTES_MAX = 8_589_934_592;

type FileVerdict = 'accepted' | 'rejected' | 'unchecked';

interface TheoremReport {
  readonly name: string;
  readonly verdict: FileVerdict;
  /** Of the word `theorem`: 1-based line, 0-based column, as Lean counts. */
  readonly line: number;
  readonly column: number;
  /** Why it is not accepted; empty where it is. */
  readonly message: string;
  /** All axioms that Lean reports of the compiled theorem, the allowed ones too, sorted; empty where it was not asked. */
  readonly axioms: readonly string[];
  /** Further checkers that could not tell of this theorem, by name; missing where there is none. */
  readonly declinedBy?: readonly string[];
  /** Those that found something wrong with it, or with the module without naming a theorem; missing where there is none. */
  readonly refusedBy?: readonly string[];
}

export interface FileReport {
  readonly path: string;
  /** `accepted`: there are theorems and all are accepted. `rejected`: something is wrong. `unchecked`: nobody can tell. */
  readonly outcome: FileVerdict;
  readonly theorems: readonly TheoremReport[];
  /** How the process ended that compiled the file; null where none was started for it (no text, too large, not judged). */
  readonly exit: LeanExit['how'] | null;
  /** What Lean said of the file. */
  readonly messages: readonly LeanMessage[];
  /** Why the file as a whole is rejected or unchecked; empty where the theorems say it, or it is accepted. */
  readonly reason: string;
  readonly leanVersion: string;
  /** Hash of toolchain and library: which Lean said so. */
  readonly fingerprint: string;
  /** False with an assembled Lean, whose package holds the library's statements without their proofs. */
  readonly libraryHasProofs: boolean;
  /** What was checked, by what, in order; empty where Lean was not started. */
  readonly checks: readonly CheckRecord[];
  readonly sandbox: SandboxFacts;
  /** Of the process that compiled the file: its bound and the most resident memory that was seen. */
  readonly memory: { readonly bytesMax: number; readonly peakBytes: number };
}

export interface CheckFileOptions {
  /** Folder for the compiled module; what is made there is removed. */
  readonly scratchDirectory: string;
  readonly runMark?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Resident memory of the process that compiles the file, and of each that reads the module. */
  readonly memoryBytesMax?: number;
  /** Where Lean runs; without one as any program of this user. */
  readonly sandbox?: Sandbox;
  /** Further checkers, for a certificate; asked where a theorem is accepted by then. */
  readonly checkers?: readonly Checker[];
}

const UNPROTECTED = noSandbox('none was asked for');

/** Never rejects for what the file holds; only with the signal's reason, or where the scratch folder cannot be written. */
export async function checkFile(
  path: string,
  environment: LeanEnvironment,
  options: CheckFileOptions,
): Promise<FileReport> {
  const report = (parts: Partial<FileReport> & Pick<FileReport, 'outcome'>): FileReport => ({
    path,
    theorems: [],
    exit: null,
    messages: [],
    reason: '',
    leanVersion: environment.version,
    fingerprint: environment.fingerprint,
    libraryHasProofs: !environment.toleratesLibraryAxioms,
    checks: [],
    sandbox: (options.sandbox ?? UNPROTECTED).facts,
    memory: { bytesMax: options.memoryBytesMax ?? MEMORY_BYTES_MAX, peakBytes: 0 },
    ...parts,
  });
  const source = await readSource(path);
  if ('reason' in source) return report({ outcome: 'unchecked', reason: source.reason });
  const scan = scanFile(source.text);
  const unjudgeable = findUnjudgeable(source.text, scan.tokens);
  if (unjudgeable !== null) {
    const theorems = scan.theorems.map((theorem) => reportOn(theorem, 'unchecked', 'the file cannot be judged'));
    return report({ outcome: 'unchecked', theorems, reason: `${basename(path)}:${unjudgeable}` });
  }
  const directory = join(options.scratchDirectory, `check-${randomBytes(8).toString('hex')}`);
  const startedMs = performance.now();
  try {
    const compiled = await compile(source.text, scan, directory, environment, options);
    const { exit, messages } = compiled;
    const memory = { bytesMax: options.memoryBytesMax ?? MEMORY_BYTES_MAX, peakBytes: compiled.peakResidentBytes };
    if (compiled.failure !== '')
      return report({ outcome: 'unchecked', reason: compiled.failure, exit, messages, memory });
    const compiledMs = performance.now();
    const judged = await judgeTheorems(scan, compiled, directory, environment, options);
    const axiomsMs = performance.now() - compiledMs;
    const own = [
      lookOf('lean', environment, compiled.module !== null, compiledMs - startedMs),
      ...(compiled.module === null ? [] : [lookOf('axioms', environment, judged.every(isAccepted), axiomsMs)]),
    ];
    const { theorems, checks } = await judgeFurther(judged, scan, compiled, directory, environment, options);
    return report({ ...summary(theorems, messages), theorems, exit, messages, memory, checks: [...own, ...checks] });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function readSource(path: string): Promise<{ text: string } | { reason: string }> {
  try {
    const facts = await stat(path);
    if (!facts.isFile()) return { reason: 'this is no file' };
    if (facts.size > FILE_BYTES_MAX) return { reason: `the file is larger than ${FILE_BYTES_MAX} bytes` };
    const bytes = await readFile(path);
    if (bytes.includes(0)) return { reason: 'this is no text file' };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.trim() === '' ? { reason: 'the file is empty' } : { text: text.replaceAll('\r\n', '\n') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { reason: 'there is no such file' };
    return { reason: `the file cannot be read as UTF-8 text: ${(error as Error).message}` };
  }
}

const isAccepted = ({ verdict }: TheoremReport): boolean => verdict === 'accepted';

function lookOf(by: string, { version }: LeanEnvironment, isGood: boolean, ms: number): CheckRecord {
  return { by, version, outcome: isGood ? 'accepted' : 'refused', ms: Math.round(ms) };
}

interface Compiled {
  /** Why Lean did not get to the end; empty where it did. */
  readonly failure: string;
  readonly exit: LeanExit['how'];
  readonly messages: readonly LeanMessage[];
  readonly peakResidentBytes: number;
  /** Module that holds the file, or null where it has errors. */
  readonly module: string | null;
  /** Private theorem → public constant that rests on what it rests on. */
  readonly aliases: ReadonlyMap<FoundTheorem, string>;
}

/**
 * Private theorems have no name outside their file, so each gets a public companion at the file's end: a constant of the
 * same type whose value is the theorem. Where the companions do not compile, the file is compiled without them.
 */
async function compile(
  text: string,
  scan: FileScan,
  directory: string,
  environment: LeanEnvironment,
  options: CheckFileOptions,
): Promise<Compiled> {
  const nonce = randomBytes(8).toString('hex');
  const hidden = hasLocalSyntax(scan) ? [] : scan.theorems.filter((theorem) => theorem.isPrivate);
  const aliases = new Map(hidden.map((theorem, index) => [theorem, `stp${nonce}_alias${index}`]));
  const companions = [...aliases].map(
    ([{ name }, alias]) => `theorem ${alias} : type_of% @_root_.${name} := @_root_.${name}`,
  );
  const ownLines = text.split('\n').length;
  const whole = companions.length === 0 ? text : `${text}\n${[...scan.closingLines, ...companions].join('\n')}\n`;
  const module = `Stp${nonce}`;
  const sourcePath = join(directory, `${module}.lean`);
  /** A Lean that was killed may have left something beside the source. */
  const layOut = async (): Promise<void> => {
    await rm(directory, { recursive: true, force: true });
    // What runs in the sandbox may put a file there that other users should not run.
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(sourcePath, whole);
  };
  const run = {
    environment,
    arguments: ['-o', join(directory, `${module}.olean`), sourcePath],
    input: null,
    workingDirectory: directory,
    deadlineMs: options.timeoutMs ?? FILE_TIMEOUT_MS,
    memoryBytesMax: options.memoryBytesMax ?? MEMORY_BYTES_MAX,
    runMark: options.runMark,
    sandbox: options.sandbox,
    writable: [directory],
    signal: options.signal,
  };
  const exit = await readLean(run, layOut);
  const { messages, peakResidentBytes } = exit;
  if (exit.how !== 'finished')
    return { failure: explain(exit), exit: exit.how, messages, peakResidentBytes, module: null, aliases: new Map() };
  const own = messages.filter((message) => message.line <= ownLines);
  const failed = messages.some((message) => message.severity === 'error');
  if (failed && companions.length > 0 && !own.some((message) => message.severity === 'error')) {
    const visible = { ...scan, theorems: scan.theorems.filter((theorem) => !theorem.isPrivate) };
    return compile(text, visible, directory, environment, options);
  }
  const compiled = failed || exit.code !== 0 ? null : module;
  const failure = compiled === null ? '' : await foreignFile(directory, module);
  if (failure !== '')
    return { failure, exit: exit.how, messages: own, peakResidentBytes, module: null, aliases: new Map() };
  return { failure: '', exit: exit.how, messages: own, peakResidentBytes, module: compiled, aliases };
}

/**
 * What Lean does not write where it puts a module: only a program that ran while the file was compiled has. Beside the module
 * it could stand in for another one, and a link in its place would have us read what it points to. Empty where there is none.
 */
async function foreignFile(directory: string, module: string): Promise<string> {
  const entries = await readdir(directory, { withFileTypes: true });
  const own = new Set([`${module}.lean`, `${module}.olean`]);
  const foreign = entries.find((entry) => !own.has(entry.name) || !entry.isFile());
  return foreign === undefined ? '' : `the file made more than its module while it was compiled: ${foreign.name}`;
}

/** Local syntax could make something else of the name of a private theorem. */
function hasLocalSyntax(scan: FileScan): boolean {
  return scan.tokens.some((token) =>
    /^(?:macro|macro_rules|syntax|notation3?|infix[lr]?|prefix|postfix)$/.test(token.text),
  );
}

function explain(exit: LeanExit): string {
  const reasons: Record<LeanExit['how'], string> = {
    finished: '',
    deadline: 'Lean did not end within the time limit',
    memory: 'Lean needed more memory than the limit',
    output: 'Lean printed more than is read',
    crashed: `Lean ended by ${exit.signal ?? `exit code ${exit.code}`}`,
    'not-started': 'Lean could not be started',
  };
  return `${reasons[exit.how]} ${exit.stderr.trim().slice(-400)}`.trim();
}

async function judgeTheorems(
  scan: FileScan,
  compiled: Compiled,
  directory: string,
  environment: LeanEnvironment,
  options: CheckFileOptions,
): Promise<TheoremReport[]> {
  const { module, aliases } = compiled;
  if (module === null) return scan.theorems.map((theorem) => judgeByMessages(theorem, compiled.messages));
  const { runMark, signal, sandbox, memoryBytesMax = MEMORY_BYTES_MAX } = options;
  const ask = { environment, workingDirectory: directory, runMark, signal, sandbox, memoryBytesMax };
  const askedName = (theorem: FoundTheorem): string => aliases.get(theorem) ?? theorem.name;
  const names = scan.theorems.map(askedName);
  const counts = Map.groupBy(names, (name) => name);
  const loaded = { ...environment, searchPath: [directory, ...environment.searchPath] };
  try {
    const answers = await printAxioms([`import ${module}`], names, { ...ask, environment: loaded });
    const before = await printAxioms(scan.importLines, names, ask);
    const library = openLibraryAxioms(ask);
    const header = scan.importLines.join('\n');
    return await Promise.all(
      scan.theorems.map(async (theorem) => {
        const name = askedName(theorem);
        const axioms = answers.get(name);
        if (axioms === undefined || axioms === null || before.has(name)) {
          return reportOn(theorem, 'unchecked', 'Lean knows no constant of this name that the file could have made');
        }
        if (counts.get(name)!.length > 1) {
          return reportOn(theorem, 'unchecked', 'the file seems to declare this name twice');
        }
        if (isSorry(axioms)) return reportOn(theorem, 'rejected', 'rests on `sorry`');
        const { refused, asked } = splitAxioms(axioms, environment.toleratesLibraryAxioms);
        const foreign = [...refused, ...(await library.foreign(header, asked))].sort();
        if (foreign.length === 0) return reportOn(theorem, 'accepted', '', axioms);
        return reportOn(
          theorem,
          'rejected',
          `rests on axioms that are not allowed: ${foreign.slice(0, 20).join(', ')}`,
        );
      }),
    );
  } catch (error) {
    options.signal?.throwIfAborted();
    return scan.theorems.map((theorem) => reportOn(theorem, 'unchecked', (error as Error).message));
  }
}

/** What the further checkers say of the theorems that are accepted so far. The folder of the module is read-only to them. */
async function judgeFurther(
  judged: readonly TheoremReport[],
  scan: FileScan,
  { module, aliases }: Compiled,
  directory: string,
  environment: LeanEnvironment,
  options: CheckFileOptions,
): Promise<{ theorems: readonly TheoremReport[]; checks: readonly CheckRecord[] }> {
  const { checkers = [], runMark, sandbox, signal } = options;
  const accepted = judged.filter(isAccepted);
  if (module === null || checkers.length === 0 || accepted.length === 0) return { theorems: judged, checks: [] };
  const hidden = new Map([...aliases].map(([{ name }, alias]) => [name, alias]));
  const file: Omit<CompiledFile, 'scratchDirectory'> = {
    place: {
      environment: { ...environment, searchPath: [directory, ...environment.searchPath] },
      workingDirectory: directory,
      runMark,
      sandbox,
    },
    signal,
    directory,
    module,
    importLines: scan.importLines,
    theorems: accepted.map(({ name }) => hidden.get(name) ?? name),
    memoryBytesMax: options.memoryBytesMax ?? MEMORY_BYTES_MAX,
  };
  const scratch = `${directory}-checkers`;
  const { records, objections, declinedBy, refusedBy } = await runCheckers(checkers, file, scratch).finally(() =>
    rm(scratch, { recursive: true, force: true }),
  );
  const theorems = judged.map((theorem): TheoremReport => {
    const name = hidden.get(theorem.name) ?? theorem.name;
    const own = objections.get(name);
    const declined = declinedBy.get(name);
    if (!isAccepted(theorem)) return theorem;
    if (own === undefined && !objections.has(null))
      return declined === undefined ? theorem : { ...theorem, declinedBy: declined };
    const by = refusedBy.get(own === undefined ? null : name);
    const refused = by === undefined ? theorem : { ...theorem, refusedBy: by };
    if (own !== undefined) return { ...refused, verdict: 'rejected', message: own };
    // Whoever refuses a module may mean any theorem of it.
    return { ...refused, verdict: 'unchecked', message: objections.get(null)! };
  });
  return { theorems, checks: records };
}

/** In a file with errors there is no module to look into: only what is wrong can be told. */
function judgeByMessages(theorem: FoundTheorem, messages: readonly LeanMessage[]): TheoremReport {
  const own = messages.filter(({ line }) => line >= theorem.line && line <= theorem.lastLine);
  const wrong =
    own.find(({ severity }) => severity === 'error') ??
    own.find(({ text }) => /^declaration uses [`']sorry/.test(text));
  if (wrong !== undefined)
    return reportOn(theorem, 'rejected', `${wrong.line}:${wrong.column}: ${wrong.text.slice(0, 400)}`);
  return reportOn(theorem, 'unchecked', 'the file has errors elsewhere');
}

function reportOn(
  { name, line, column }: FoundTheorem,
  verdict: FileVerdict,
  message: string,
  axioms: Iterable<string> = [],
): TheoremReport {
  return { name, verdict, line, column, message, axioms: [...axioms].sort() };
}

function summary(
  theorems: readonly TheoremReport[],
  messages: readonly LeanMessage[],
): { outcome: FileVerdict; reason: string } {
  const wrong =
    messages.find(({ severity }) => severity === 'error') ??
    messages.find(({ text }) => /^declaration uses [`']sorry/.test(text));
  if (theorems.some(({ verdict }) => verdict === 'rejected')) return { outcome: 'rejected', reason: '' };
  if (wrong !== undefined)
    return { outcome: 'rejected', reason: `${wrong.line}:${wrong.column}: ${wrong.text.slice(0, 400)}` };
  if (theorems.length === 0) return { outcome: 'unchecked', reason: 'the file holds no theorem' };
  return { outcome: theorems.every(({ verdict }) => verdict === 'accepted') ? 'accepted' : 'unchecked', reason: '' };
}
