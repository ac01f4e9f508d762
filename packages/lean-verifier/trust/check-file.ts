/**
 * Judges every theorem of a whole Lean file by its compiled module. A separate process in the sandbox compiles the file
 * into a module; its messages are not believed. Then a thread reads the module without running any of it: which
 * constants the file adds, which axioms they rest on, and the second kernel's verdict on each (`object/`). A file is
 * not judged if its object cannot be read, or if it changes how its own text is read (`verdict/file-policy.ts`). Where the
 * second kernel could not decide, further checkers check the module (`certificate/`).
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CheckRecord, LeanMessage, SandboxFacts } from '@stp/config/records';
import { type FileHeader, nameParts, readHeader, tokenize } from '@stp/lean-text';
import { newModuleName } from '../runtime/process/object-run.ts';
import type { LeanExit, ProcessPlace } from '../runtime/process/spawn.ts';
import { noSandbox, type Sandbox } from '../runtime/sandbox/sandbox.ts';
import type { LeanEnvironment } from '../verifier.ts';
import type { CompiledFile } from './certificate/checker.ts';
import { CHECKERS } from './certificate/checkers.ts';
import { type CheckersReport, runCheckers } from './certificate/run-checkers.ts';
import { modulePath } from './folder-modules.ts';
import { type CompiledModule, compileModule, MODULE_PARTS } from './object/compiled-module.ts';
import { nameExamples } from './object/examples.ts';
import { type ExampleCopy, findInFile } from './object/file-theorems.ts';
import {
  type DeclarationAxioms,
  OBJECT,
  type ObjectFinding,
  SECOND_KERNEL,
  type TheoremFinding,
} from './object/findings.ts';
import { judgeObject, type ObjectTask } from './object/judge-object.ts';
import type { Meaning } from './object/meaning.ts';
import { type StoppedProof, type StoppedText, stopProofs } from './object/stopped-proofs.ts';
import { toolchainFolder } from './object/toolchain-folder.ts';
import { readSource } from './source-file.ts';
import { findUnjudgeable } from './verdict/file-policy.ts';

export const FILE_TIMEOUT_MS = 600_000;
const MEMORY_BYTES_MAX = 8_589_934_592;

type FileVerdict = 'accepted' | 'rejected' | 'unchecked';

/** A theorem, or an axiom, which is never accepted. */
export interface TheoremReport {
  readonly name: string;
  readonly verdict: FileVerdict;
  /** Where its declaration begins: 1-based line, 0-based column, as Lean counts. */
  readonly line: number;
  readonly column: number;
  /** Why it is not accepted; empty where it is. */
  readonly message: string;
  /** It is an example, and has no name. */
  readonly isExample?: true;
  /** Facts that can deceive a reader of its statement; missing if there are none. */
  readonly meaning?: Meaning;
  /** All axioms that it rests on, the allowed ones too, sorted. */
  readonly axioms: readonly string[];
}

/** Whether the file has a constant of the statement's name, and whether its type is that of the statement. */
export interface StatedReport {
  readonly name: string;
  readonly statement: 'same' | 'other' | 'missing';
}

export interface FileReport {
  readonly path: string;
  /**
   * `accepted`: there are theorems and all are accepted. `rejected`: something is wrong. `unchecked`: there is no
   * verdict.
   */
  readonly outcome: FileVerdict;
  /** In the order of the file; none where it has errors that are not set aside, or its object could not be read. */
  readonly theorems: readonly TheoremReport[];
  /** The same of its examples; missing if there is none. */
  readonly examples?: readonly TheoremReport[];
  /** Declarations that are no theorems and rest on axioms, with all of these, in the order of the file; missing if there is none. */
  readonly others?: readonly DeclarationAxioms[];
  /** What the file holds of the statements that were asked for, in their order; missing if none were. */
  readonly stated?: readonly StatedReport[];
  /** Facts that can deceive a reader of the file, beside those of its theorems; missing if there are none. */
  readonly notes?: readonly string[];
  /** Whether the compiled module is where `offerAs` says. */
  readonly isOffered?: boolean;
  /** How the process ended that compiled the file; null where none was started for it (no text, too large, not judged). */
  readonly exit: LeanExit['how'] | null;
  /** Lean's messages about the file. */
  readonly messages: readonly LeanMessage[];
  /** Why the file as a whole is rejected or unchecked; empty where the theorems say it, or it is accepted. */
  readonly reason: string;
  readonly leanVersion: string;
  /** Hash of toolchain and library: which Lean said so. */
  readonly fingerprint: string;
  /** False with an assembled Lean, whose package holds the library's statements without their proofs. */
  readonly libraryHasProofs: boolean;
  /** The checks, in order; empty if Lean was not started. */
  readonly checks: readonly CheckRecord[];
  readonly sandbox: SandboxFacts;
  /** Memory of the process that compiled the file: its limit and the most resident memory that was seen. */
  readonly memory: { readonly bytesMax: number; readonly peakBytes: number };
}

export interface CheckFileOptions {
  /** Folder for the compiled module; what is made there is removed. */
  readonly scratchDirectory: string;
  readonly runMark?: string;
  readonly signal?: AbortSignal;
  /** Processor time of the process that compiles the file, ms; ten times that in wall time. */
  readonly timeoutMs?: number;
  /** Resident memory of the process that compiles the file, and of each that reads the module. */
  readonly memoryBytesMax?: number;
  /** Where Lean runs; without one as any program of this user. */
  readonly sandbox?: Sandbox;
  /** Keeps which compiled module holds which constant; without it this is found out once a process. */
  readonly indexFolder?: string;
  /** Where the compiled module goes for files that import it, if nothing speaks against it; without it nowhere. */
  readonly offerAs?: string;
  /** Folder of modules that the file may import and that were judged in the same way; their constants are no library's. */
  readonly neighboursFolder?: string;
  /** Where modules go that the two kernels disagree on; without it they are not kept. */
  readonly disagreementsFolder?: string;
  /**
   * Where Lean refuses proofs of the file, these are rejected and the other theorems are judged in a copy with `sorry` in their place;
   * without it no theorem of such a file has a verdict.
   */
  readonly sparesOthers?: boolean;
  /** A compiled module, made without the file, and the names of its constants that the file is to state as well. */
  readonly statements?: { readonly path: string; readonly names: readonly string[] };
}

/** Of a file's wrong proofs so many are named in one line. */
const LINES_MAX = 20;
const NONE_JUDGED = 'No theorem of the file has a verdict: only errors in proofs that Lean can read can be set aside.';
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
  const tokens = tokenize(source.text);
  const unjudgeable = findUnjudgeable(source.text, tokens);
  if (unjudgeable !== null) return report({ outcome: 'unchecked', reason: `${basename(path)}:${unjudgeable}` });
  const header = readHeader(source.text);
  const directory = join(options.scratchDirectory, `check-${randomBytes(8).toString('hex')}`);
  try {
    const check = new FileCheck(environment, options, directory);
    const absent = await check.absentImport(header);
    if (absent !== null) return report({ outcome: 'unchecked', reason: absent });
    const compiled = await check.compile(source.text);
    const { exit, messages, peakResidentBytes: peakBytes } = compiled;
    const memory = { bytesMax: options.memoryBytesMax ?? MEMORY_BYTES_MAX, peakBytes };
    const done = { exit, messages, memory };
    const lean = lookOf('lean', environment.version, compiled.path === null ? 'refused' : 'accepted', compiled.ms);
    if (compiled.path === null) {
      const { failure: unfinished, messages: errors } = compiled;
      const stopped = options.sparesOthers && unfinished === '' ? stopProofs(source.text, tokens, errors) : null;
      const rest = stopped && (await check.judgeRest(stopped));
      if (rest) return report({ ...done, ...rest, checks: [lean, ...rest.checks] });
      const failure = compiled.failure || moduleFailure(header, messages);
      const refusal = firstError(messages) || 'Lean says that the file has errors';
      const reason = failure || (options.sparesOthers ? `${refusal}\n${NONE_JUDGED}` : refusal);
      const outcome = failure === '' ? 'rejected' : 'unchecked';
      return report({ ...done, outcome, reason, checks: failure === '' ? [lean] : [] });
    }
    const judged = await check.judge(compiled.path, source.text);
    if ('unread' in judged) return report({ ...done, outcome: 'unchecked', reason: judged.unread, checks: [lean] });
    const isOffered = options.offerAs !== undefined && judged.isSound;
    if (isOffered) await offer(compiled.path, options.offerAs!);
    const checks = [lean, ...judged.checks];
    return report({
      ...done,
      ...reported(judged),
      ...(isOffered ? { isOffered } : {}),
      checks,
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Judged extends Pick<ObjectFinding, 'objection' | 'open' | 'notes' | 'others' | 'isSound'> {
  readonly theorems: readonly TheoremReport[];
  readonly checks: readonly CheckRecord[];
  readonly stated: readonly StatedReport[];
}

/** The report's parts on the theorems of a file, and its other declarations. */
function reported({ theorems, objection, open, notes, others, stated }: Judged) {
  const examples = theorems.filter(({ isExample }) => isExample);
  return {
    ...summary(theorems, objection, open),
    theorems: theorems.filter(({ isExample }) => !isExample),
    ...(examples.length === 0 ? {} : { examples }),
    ...(others.length === 0 ? {} : { others }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(stated.length === 0 ? {} : { stated }),
  };
}

type Rest = ReturnType<typeof reported> & Pick<Judged, 'checks'>;

/** One file's way: compiled, its object judged, and shown to further checkers. */
class FileCheck {
  readonly #environment: LeanEnvironment;
  readonly #options: CheckFileOptions;
  /** Holds the module and nothing else while further checkers look at it. */
  readonly #directory: string;
  readonly #module = newModuleName();
  readonly #place: ProcessPlace;
  readonly #memoryBytesMax: number;

  constructor(installed: LeanEnvironment, options: CheckFileOptions, directory: string) {
    const { neighboursFolder } = options;
    const searchPath = [...installed.searchPath, ...(neighboursFolder === undefined ? [] : [neighboursFolder])];
    const environment = { ...installed, searchPath };
    this.#environment = environment;
    this.#options = options;
    this.#directory = join(directory, 'module');
    const { runMark, sandbox } = options;
    this.#place = { environment, workingDirectory: this.#directory, runMark, sandbox };
    this.#memoryBytesMax = options.memoryBytesMax ?? MEMORY_BYTES_MAX;
  }

  /** Why the file cannot be compiled here: a module that it imports is in no folder. */
  async absentImport({ imports }: FileHeader): Promise<string | null> {
    const own = await toolchainFolder(this.#bounds());
    if (own === null) return null;
    const folders = [...this.#environment.searchPath, own];
    const absent = imports.find(({ name }) => {
      const paths = folders.map((folder) => modulePath(folder, nameParts(name)));
      return !paths.some((path) => path !== null && existsSync(path));
    });
    if (absent === undefined) return null;
    return `imports ${absent.name}, which is not here: check the folder that holds it, or name its Lake project in STP_LEAN_PROJECT`;
  }

  compile(text: string, directory = this.#directory): Promise<CompiledModule> {
    return compileModule({
      ...this.#bounds(),
      module: this.#module,
      text,
      directory,
      deadlineMs: this.#options.timeoutMs ?? FILE_TIMEOUT_MS,
    });
  }

  /** `path`: of the module that the text was compiled to. */
  async judge(path: string, text: string): Promise<Judged | { readonly unread: string }> {
    const found = await this.#findings(path, text);
    if ('unread' in found) return found;
    const { theorems, objection } = found;
    const further = await this.#lookFurther(found);
    const isRefused = objection !== null || theorems.some((theorem) => theorem.objection !== null);
    const kernels = theorems.map(({ kernel }) => kernel);
    const kernel = kernels.includes('rejected') ? 'refused' : kernels.includes('declined') ? 'declined' : 'accepted';
    const checks = [
      lookOf(OBJECT.name, OBJECT.version, isRefused ? 'refused' : 'accepted', 0),
      lookOf(SECOND_KERNEL.name, SECOND_KERNEL.version, kernel, found.objectMs),
      ...further.records,
    ];
    return {
      theorems: theorems.map((theorem) => verdictOn(theorem, objection, further)),
      objection,
      open: found.open,
      notes: found.notes,
      isSound: found.isSound,
      others: found.others,
      stated: found.stated,
      checks,
    };
  }

  /** What stands beside refused proofs; null where nothing can be told of it. */
  async judgeRest({ text, proofs, lineOf }: StoppedText): Promise<Rest | null> {
    const compiled = await this.compile(text);
    const judged = compiled.path === null ? null : await this.judge(compiled.path, text);
    if (judged === null || 'unread' in judged) return null;
    const inFile = (words: string): string =>
      words.replace(/^line (\d+):/, (_, line) => `line ${lineOf(Number(line))}:`);
    const theorems = judged.theorems.map((theorem) => ({
      ...theorem,
      line: lineOf(theorem.line),
      message: inFile(theorem.message),
    }));
    for (const { name, line, column, error } of proofs) {
      const at = theorems.findLastIndex((one) => one.line < line || (one.line === line && one.column <= column));
      const own = theorems[at];
      const isOwn = name === null ? own?.isExample : own !== undefined && nameParts(own.name).at(-1) === name;
      if (!isOwn) return null;
      theorems[at] = { ...own!, verdict: 'rejected', message: placed(error) };
    }
    const objection = judged.objection === null ? null : inFile(judged.objection);
    const others = judged.others.map((other) => ({ ...other, line: lineOf(other.line) }));
    return {
      ...reported({ ...judged, objection, theorems, others, notes: judged.notes.map(inFile) }),
      outcome: 'rejected',
      reason: [besides(proofs), objection ?? ''].join('\n').trimEnd(),
      checks: judged.checks,
    };
  }

  async #findings(
    path: string,
    text: string,
  ): Promise<(ObjectFinding & Pick<Judged, 'stated'> & { objectMs: number }) | { readonly unread: string }> {
    const { toleratesLibraryAxioms } = this.#environment;
    const startedMs = performance.now();
    const { statements } = this.#options;
    const asked = statements && {
      asked: statements.names.map((name) => ({ name, stated: name })),
      statedPath: statements.path,
    };
    const report = await judgeObject({ ...this.#bounds(), path, ...this.#reading(), ...asked });
    if ('unread' in report) return report;
    const copy = await this.#exampleCopy(text);
    if (copy !== null && 'unread' in copy) return copy;
    const stated = report.asked.map(({ name, place, statement }): StatedReport => {
      return { name, statement: place === null ? 'missing' : statement === 'same' ? 'same' : 'other' };
    });
    const found = findInFile(report, toleratesLibraryAxioms, text, copy);
    return { ...found, stated, objectMs: performance.now() - startedMs };
  }

  /** Null where the file has no example. */
  async #exampleCopy(text: string): Promise<ExampleCopy | null | { readonly unread: string }> {
    const named = nameExamples(text, tokenize(text), randomBytes(8).toString('hex'));
    if ('hidden' in named) return { unread: named.hidden };
    if (named.examples.length === 0) return null;
    const { path, failure, messages } = await this.compile(named.text, `${this.#directory}-examples`);
    const why = 'examples could not be judged: with names for them the file ';
    if (path === null) return { unread: `${why}${failure || `has an error: ${firstError(messages)}`}` };
    const report = await judgeObject({ ...this.#bounds(), path, ...this.#reading() });
    return 'unread' in report ? { unread: `${why}was not read: ${report.unread}` } : { named, report };
  }

  /** Further checkers look where nothing speaks against the file so far and the second kernel could not tell. */
  #lookFurther({ theorems, objection }: ObjectFinding): Promise<CheckersReport> {
    // The module that they look at holds no example.
    const sound = theorems.filter(
      ({ objection: against, kernel, isExample }) => against === null && kernel !== 'rejected' && !isExample,
    );
    const isOpen = sound.some(({ kernel }) => kernel === 'declined');
    const isAsked = objection === null && isOpen;
    const searchPath = [this.#directory, ...this.#environment.searchPath];
    const bounds = this.#bounds();
    const file: CompiledFile = {
      ...bounds,
      place: { ...this.#place, environment: { ...this.#environment, searchPath } },
      directory: this.#directory,
      module: this.#module,
      theorems: sound.map(({ name }) => name),
    };
    return runCheckers(isAsked ? CHECKERS : [], file);
  }

  /** Options for reading modules. Records of neighbours' modules are not kept: the modules are gone when all files are judged. */
  #reading(): Pick<ObjectTask, 'indexFolder' | 'neighboursFolder'> {
    const { neighboursFolder, indexFolder = null } = this.#options;
    return neighboursFolder === undefined ? { indexFolder } : { indexFolder: null, neighboursFolder };
  }

  #bounds() {
    const { signal } = this.#options;
    return { place: this.#place, memoryBytesMax: this.#memoryBytesMax, signal };
  }
}

/** Returns the verdict: nothing may speak against it, and some kernel must have accepted it. */
function verdictOn(theorem: TheoremFinding, ofFile: string | null, further: CheckersReport): TheoremReport {
  const { name, line, column, axioms, objection, kernel, reason, meaning, isExample } = theorem;
  const told = (verdict: FileVerdict, message: string): TheoremReport => ({
    ...{ name, verdict, message, line, column, axioms },
    ...(isExample ? { isExample } : {}),
    ...(meaning === undefined ? {} : { meaning }),
  });
  if (objection !== null) return told('rejected', objection);
  if (kernel === 'rejected') return told('rejected', `the second kernel refuses it: ${reason}`);
  // A refusal of the module may concern any theorem of it.
  if (ofFile !== null) return told('unchecked', ofFile);
  const against = isExample ? undefined : further.objections.get(name);
  if (against !== undefined) return told('rejected', against);
  const ofModule = further.objections.get(null);
  if (ofModule !== undefined) return told('unchecked', ofModule);
  const declinedBy = further.declinedBy.get(name) ?? [];
  const isChecked =
    kernel === 'accepted' ||
    (!isExample &&
      further.records.some(
        ({ by, outcome }) => outcome === 'accepted' || (outcome === 'declined' && !declinedBy.includes(by)),
      ));
  return isChecked ? told('accepted', '') : told('unchecked', `no kernel accepted it: ${reason}`);
}

/** What the verdicts on the other theorems were told from. */
function besides(proofs: readonly StoppedProof[]): string {
  const lines = [...new Set(proofs.map(({ line }) => line))];
  const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, LINES_MAX).join(', ')}`;
  const more = lines.length > LINES_MAX ? ` and ${lines.length - LINES_MAX} more` : '';
  return `Lean finds errors in it. The other theorems are judged with \`sorry\` in place of the proofs in ${where}${more}`;
}

/** A file with Lean's `module` header, over a library that was compiled without the module system. */
function moduleFailure({ isModule }: FileHeader, messages: readonly LeanMessage[]): string {
  const refused = messages.find(({ text }) => /^cannot import non-`module` \S+ from `module`/.test(text));
  if (!isModule || refused === undefined) return '';
  return `has Lean’s \`module\` header, and this Lean’s library is not compiled for it (${refused.text.slice(0, 200)}): use a released Lean (STP_LEAN), see docs/assembled-lean.md`;
}

/** The module with its parts, which a file with Lean's `module` header has. */
async function offer(path: string, as: string): Promise<void> {
  await mkdir(dirname(as), { recursive: true });
  for (const part of MODULE_PARTS) if (existsSync(path + part)) await copyFile(path + part, as + part);
}

function lookOf(by: string, version: string, outcome: CheckRecord['outcome'], ms: number): CheckRecord {
  return { by, version, outcome, ms: Math.round(ms) };
}

function firstError(messages: readonly LeanMessage[]): string {
  const wrong = messages.find(({ severity }) => severity === 'error');
  return wrong === undefined ? '' : placed(wrong);
}

const placed = ({ line, column, text }: LeanMessage): string => `${line}:${column}: ${text.slice(0, 400)}`;

function summary(
  theorems: readonly TheoremReport[],
  objection: string | null,
  unproved: string | null,
): { outcome: FileVerdict; reason: string } {
  const reason = objection ?? '';
  if (theorems.some(({ verdict }) => verdict === 'rejected')) return { outcome: 'rejected', reason };
  if (unproved !== null) return { outcome: 'rejected', reason: unproved };
  if (objection !== null) return { outcome: 'unchecked', reason };
  if (theorems.length === 0) return { outcome: 'unchecked', reason: 'the file holds no theorem' };
  return { outcome: theorems.every(({ verdict }) => verdict === 'accepted') ? 'accepted' : 'unchecked', reason };
}
