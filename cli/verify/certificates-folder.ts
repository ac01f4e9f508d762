/** Writes certificate files into a folder: one for each proof, named by the row's id and a hash of the texts. */
import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StpError } from '@stp/base';
import { contentId } from '@stp/config/ids';
import type { Certificate } from '@stp/config/records';
import { type CertifiedTexts, certificateFile, certificateText } from '@stp/lean-verifier';
import { makeFolder } from '../shared/make-folder.ts';

const NAME_CHARS_MAX = 64;

/** Makes the folder if it is missing. Throws STP1401 if it cannot, or if no file can be made in the folder. */
export async function openCertificates(folder: string): Promise<void> {
  const probe = join(resolve(folder), `${randomBytes(4).toString('hex')}.partial`);
  try {
    await makeFolder(resolve(folder));
    await writeFile(probe, '', { flag: 'wx' });
    await rm(probe);
  } catch (error) {
    throw notWritten(folder, error as Error);
  }
}

/** Returns the path. The file of an equal row is replaced. Throws STP1401 if it cannot be written. */
export async function writeCertificate(
  folder: string,
  id: string,
  texts: CertifiedTexts,
  certificate: Certificate,
): Promise<string> {
  const file = certificateFile(texts, certificate);
  const name = id
    .replaceAll(/[^\w.-]+/gu, '_')
    .replace(/^\.+/u, '_')
    .slice(0, NAME_CHARS_MAX);
  const path = join(folder, `${name}-${contentId(file.header, file.statement, file.proof)}.json`);
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
  try {
    await writeFile(partial, certificateText(file), { flag: 'wx' });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw notWritten(path, error as Error);
  }
  return path;
}

function notWritten(path: string, cause: Error): StpError {
  return new StpError(
    'STP1401',
    `the certificate was not written: ${path}: ${cause.message}`,
    'Give --certify a folder that can be written.',
    { cause },
  );
}
