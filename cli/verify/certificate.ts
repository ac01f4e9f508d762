/**
 * `stp certificate check FILE…`: judges other people's certificates again, and reports differences. Exit 0: all are
 * confirmed; 1: one makes a claim that was not confirmed; 2: otherwise, if one cannot be read or got no answer.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { printableJson, printableLine, printableText } from '@stp/base';
import { CERTIFICATE_BYTES_MAX, type CertificateFile } from '@stp/config/records';
import {
  type CertificateVerdict,
  isConfirmed,
  judgeCertificates,
  readCertificate,
  type SandboxPolicy,
} from '@stp/lean-verifier';
import { workerSettings } from '../../workers/settings.ts';
import { runBounded } from '../shared/bounded-command.ts';
import { describeSetup, openLeanSetup } from '../shared/lean-setup.ts';
import { sayRemoved } from '../shared/leavings.ts';
import { openSetupVerifier, reasonOf } from './verify-judge.ts';

const MEBIBYTE = 1_048_576;
const VERDICT_COLUMNS = 11;
const VALUE_CHARS_MAX = 200;
const MESSAGE_CHARS_MAX = 1_000;

export interface CertificateCheckOptions {
  readonly json?: boolean;
  /** Accept a certificate of another Lean, or of other checkers, if the proof holds here under the same axioms. */
  readonly otherLean?: boolean;
  readonly timeout?: number;
  readonly processes: number;
  readonly memoryMb: number;
  readonly sandbox: SandboxPolicy;
}

interface Checked extends CertificateVerdict {
  readonly file: string;
}

/** Returns the exit code. */
export function checkCertificates(paths: readonly string[], options: CertificateCheckOptions): Promise<number> {
  return runBounded(options.timeout, async (signal) => {
    const read = await Promise.all(paths.map(readFileAt));
    const certificates = read.filter((one): one is CertificateFile => !('problem' in one));
    const { verdicts, by } = await judge(certificates, options, signal);
    let judged = 0;
    const checked = read.map((one, index): Checked => {
      const found = 'problem' in one ? unchecked(`it is no certificate: ${one.problem}`) : verdicts[judged++]!;
      const verdict = isConfirmed(found, options.otherLean ?? false) ? 'confirmed' : found.verdict;
      return { file: paths[index]!, ...found, verdict };
    });
    for (const one of checked) console.log(options.json ? printableJson(one) : textOf(one));
    const confirmed = checked.filter(({ verdict }) => verdict === 'confirmed').length;
    console.error(`${confirmed} of ${checked.length} certificates confirmed${by}`);
    if (confirmed === checked.length) return 0;
    return checked.some(({ verdict }) => verdict === 'differs' || verdict === 'refused') ? 1 : 2;
  });
}

async function judge(certificates: readonly CertificateFile[], options: CertificateCheckOptions, signal: AbortSignal) {
  if (certificates.length === 0) return { verdicts: [], by: '' };
  const settings = workerSettings();
  await sayRemoved(settings.scratchDirectory);
  try {
    const setup = await openLeanSetup('certificate', settings, options.sandbox, signal);
    try {
      const verifier = await openSetupVerifier(setup, {
        processes: options.processes,
        memoryBytesMax: options.memoryMb * MEBIBYTE,
      });
      try {
        const verdicts = await judgeCertificates(certificates, verifier, signal);
        return { verdicts, by: ` by ${describeSetup(setup)}` };
      } finally {
        await verifier.close();
      }
    } finally {
      await setup.scratch.remove();
    }
  } catch (error) {
    const reason = reasonOf(error, signal);
    return { verdicts: certificates.map(() => unchecked(reason)), by: '' };
  }
}

function unchecked(message: string): CertificateVerdict {
  return { verdict: 'unchecked', differences: [], kind: null, message };
}

/** Reads at most the size of the largest certificate. */
async function readFileAt(path: string): Promise<CertificateFile | { readonly problem: string }> {
  try {
    // Opening a pipe without a writer would wait for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return { problem: 'it is no regular file' };
      const buffer = Buffer.alloc(CERTIFICATE_BYTES_MAX + 1);
      let filled = 0;
      for (;;) {
        const { bytesRead } = await file.read(buffer, filled, buffer.length - filled);
        filled += bytesRead;
        if (bytesRead === 0 || filled === buffer.length) break;
      }
      return readCertificate(new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, filled)));
    } finally {
      await file.close();
    }
  } catch (error) {
    return { problem: error instanceof TypeError ? 'it is not UTF-8' : (error as Error).message };
  }
}

function textOf({ verdict, file, differences, message }: Checked): string {
  const indent = ' '.repeat(VERDICT_COLUMNS);
  const shown = (value: unknown): string => printableLine(JSON.stringify(value).slice(0, VALUE_CHARS_MAX));
  return [
    `${verdict.padEnd(VERDICT_COLUMNS)}${printableLine(file)}`,
    ...differences.flatMap((one) => [
      `${indent}${one.field}`,
      `${indent}  file  ${shown(one.file)}`,
      `${indent}  here  ${shown(one.here)}`,
    ]),
    ...(message === '' ? [] : [printableText(message.slice(0, MESSAGE_CHARS_MAX)).replaceAll(/^/gmu, indent)]),
  ].join('\n');
}
