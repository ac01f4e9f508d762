/**
 * Judges every theorem of a Lean file by its compiled module. A separate process in the sandbox compiles the file; its
 * messages are not trusted. Then a thread reads the module without running any of its code: which constants the file
 * adds, which axioms they depend on, and the second kernel's verdict on each (`object/`). A file is not judged if its
 * module cannot be read, or if the file changes how its own text is read (`verdict/file-policy.ts`). If the second
 * kernel declined, further checkers check the module (`certificate/`).
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { LeanMessage } from '@stp/config/records';
import { type FileHeader, readHeader, tokenize } from '@stp/lean-text';
import { noSandbox } from '../runtime/sandbox/sandbox.ts';
import type { LeanEnvironment } from '../verifier.ts';
import { FILE_MEMORY_BYTES_MAX, FileCheck, firstError, lookOf, reported } from './file-check-steps.ts';
import type { CheckFileOptions, FileReport } from './file-report.ts';
import { MODULE_PARTS } from './object/compiled-module.ts';
import { stopProofs } from './object/stopped-proofs.ts';
import { readSource } from './source-file.ts';
import { findUnjudgeable } from './verdict/file-policy.ts';

const NONE_JUDGED = 'No theorem of the file has a verdict: only errors in proofs that Lean can read can be set aside.';
const UNPROTECTED = noSandbox('none was asked for');

/**
 * Rejects only with the signal's reason, or if the scratch folder cannot be written; never because of the file's
 * content.
 */
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
    memory: { bytesMax: options.memoryBytesMax ?? FILE_MEMORY_BYTES_MAX, peakBytes: 0 },
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
    const memory = { bytesMax: options.memoryBytesMax ?? FILE_MEMORY_BYTES_MAX, peakBytes };
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

/**
 * Returns the reason if a file with Lean's `module` header imports a library that was compiled without the module
 * system; otherwise empty.
 */
function moduleFailure({ isModule }: FileHeader, messages: readonly LeanMessage[]): string {
  const refused = messages.find(({ text }) => /^cannot import non-`module` \S+ from `module`/.test(text));
  if (!isModule || refused === undefined) return '';
  return `has Lean’s \`module\` header, and this Lean’s library is not compiled for it (${refused.text.slice(0, 200)}): use a released Lean (STP_LEAN), see docs/assembled-lean.md`;
}

/** Copies the module with its additional parts, which a file with Lean's `module` header has. */
async function offer(path: string, as: string): Promise<void> {
  await mkdir(dirname(as), { recursive: true });
  for (const part of MODULE_PARTS) if (existsSync(path + part)) await copyFile(path + part, as + part);
}
