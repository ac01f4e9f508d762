/**
 * Downloads an object to a local file, which appears completely or not at all. A download continues from the bytes that
 * a killed process or a failed attempt left. The partial file is named after the object and the writing process. If
 * that process is dead, another takes the file over by an atomic rename. It reads the existing bytes for their
 * checksum, and checks the whole before the final rename.
 */

import { createReadStream } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StpError } from '@stp/base';
import { identify, isRunning } from '@stp/base/files';
import type { ArtifactRef } from '@stp/config/records';
import { pieces } from './contents.ts';
import { Crc32c } from './crc32c.ts';
import { makeFolder } from './file-objects.ts';
import { cannotWrite, damaged } from './store-errors.ts';

/** `NAME.CRC-GENERATION.PID-STARTTICKS-NUMBER.partial`; pid 0 means no process. */
const OWNER = /\.(\d+)-(\d+)-\d+\.partial$/;
const READ_BYTES = 1 << 20;
/** Most leftovers that are examined for one download. */
const LEFTOVERS_MAX = 100;

let started = 0;

/**
 * Downloads with `read(start)`, which yields the object's bytes from `start` on. Throws the signal's reason, STP1402
 * for wrong bytes, STP1401.
 */
export async function downloadTo(
  path: string,
  ref: ArtifactRef,
  read: (start: number) => Promise<AsyncIterable<Buffer>>,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const folder = dirname(path);
  const stem = `${basename(path)}.${Buffer.from(ref.crc32c, 'base64').toString('hex')}-${ref.generation}`;
  started += 1;
  const self = await identify(process.pid);
  const partial = join(folder, `${stem}.${self.pid}-${self.startTicks}-${started}.partial`);
  let keep = false;
  try {
    await makeFolder(folder);
    await takeOver(folder, stem, partial);
    await complete(partial, ref, read, signal).catch((error: unknown) => {
      // Wrong bytes are discarded; bytes before a broken connection are kept.
      keep = !(error instanceof StpError && error.code === 'STP1402');
      throw error;
    });
    await rename(partial, path);
  } catch (error) {
    throw signal?.aborted ? signal.reason : cannotWrite(path, error);
  } finally {
    if (keep) await rename(partial, join(folder, `${stem}.0-0-${started}.partial`)).catch(() => {});
    else await rm(partial, { force: true }).catch(() => {});
  }
}

/** Takes over the longest leftover of this object, under the name `partial`, and removes the others of dead owners. */
async function takeOver(folder: string, stem: string, partial: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${stem}.`) && OWNER.test(name));
  for (const name of names.slice(0, LEFTOVERS_MAX)) {
    const [, pid, startTicks] = OWNER.exec(name)!;
    const owner = { pid: Number(pid), startTicks: Number(startTicks) };
    if (owner.pid === process.pid || (owner.pid !== 0 && (await isRunning(owner)))) continue;
    try {
      await rename(join(folder, name), partial);
      return;
    } catch {
      // Another process was faster.
    }
  }
}

async function complete(
  partial: string,
  ref: ArtifactRef,
  read: (start: number) => Promise<AsyncIterable<Buffer>>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const crc = new Crc32c();
  const file = await open(partial, 'a');
  try {
    const there = createReadStream(partial, { highWaterMark: READ_BYTES, ...(signal && { signal }) });
    for await (const piece of pieces(there, signal)) crc.update(piece);
    if (crc.bytes > ref.bytes) throw damaged(ref.uri, `${crc.bytes} bytes instead of ${ref.bytes}`);
    let held: Buffer[] = [];
    let heldBytes = 0;
    const write = async (): Promise<void> => {
      if (heldBytes > 0) await file.appendFile(held.length === 1 ? held[0]! : Buffer.concat(held));
      held = [];
      heldBytes = 0;
    };
    try {
      for await (const piece of await read(crc.bytes)) {
        signal?.throwIfAborted();
        crc.update(piece);
        if (crc.bytes > ref.bytes) throw damaged(ref.uri, `more than ${ref.bytes} bytes`);
        held.push(piece);
        heldBytes += piece.length;
        if (heldBytes >= READ_BYTES) await write();
      }
    } finally {
      // Bytes that arrived before a failure are kept for the next attempt.
      await write();
    }
    if (crc.bytes !== ref.bytes) throw damaged(ref.uri, `${crc.bytes} bytes instead of ${ref.bytes}`);
    if (crc.toBase64() !== ref.crc32c) throw damaged(ref.uri, `CRC-32C ${crc.toBase64()} instead of ${ref.crc32c}`);
    await file.sync();
  } finally {
    await file.close();
  }
}
