/**
 * The project folder of a server: reads Lean files in it, and nothing else. A path is checked after the file was
 * opened, so neither a link nor a rename between check and use leads outside.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { StpError } from '@stp/base';
import { sha256 } from '@stp/config/ids';
import { readHeader, sourceText } from '@stp/lean-text';
import { FILE_BYTES_MAX } from '@stp/lean-verifier';

/** Folders of tools, which contain no sources of the project. */
const LEFT_OUT = /^(?:\.|node_modules$)/u;
const FILES_MAX = 4_000;
const ALL_BYTES_MAX = 64 * 1_048_576;

export interface ProjectFile {
  /** Path relative to the folder, with `/`. */
  readonly path: string;
  /** Text with line feeds only. */
  readonly text: string;
  /** SHA-256 of the text, hex. */
  readonly hash: string;
}

export class ProjectFolder {
  /** Absolute path without links. */
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** Throws STP1002 if there is no such folder. */
  static async open(folder: string): Promise<ProjectFolder> {
    const root = await realpath(folder).catch(() => null);
    if (root !== null && (await stat(root)).isDirectory()) return new ProjectFolder(root);
    throw new StpError('STP1002', `there is no folder ${folder}`, 'Name the folder of a Lean project: --project DIR.');
  }

  /**
   * Throws STP1002 for a file that is outside the folder, not a `.lean` file, larger than `FILE_BYTES_MAX`, or not
   * text.
   */
  async read(path: string): Promise<ProjectFile> {
    const asked = resolve(this.root, path);
    const refuse = (why: string): StpError =>
      new StpError('STP1002', `${path}: ${why}`, 'Name a .lean file below the project folder.');
    // Check before opening anything, so that the answer does not reveal what exists elsewhere.
    if (!this.#holds(asked)) throw refuse('it is outside the project folder');
    if (!asked.endsWith('.lean')) throw refuse('it is no .lean file');
    const file = await open(asked, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
    if (file === null) throw refuse('there is no such file, or it cannot be read');
    try {
      if (!this.#holds(await realPathOf(file, asked))) throw refuse('it leads outside the project folder');
      return { path: this.#below(asked), ...(await readText(file, refuse)) };
    } finally {
      await file.close();
    }
  }

  /** Whether the file is unchanged. */
  async isUnchanged({ path, hash }: Pick<ProjectFile, 'path' | 'hash'>): Promise<boolean> {
    return this.read(path).then(
      (now) => now.hash === hash,
      () => false,
    );
  }

  /** Returns Lean files of the project, sorted by name, up to a maximum number. Unreadable files are omitted. */
  async files(signal: AbortSignal): Promise<ProjectFile[]> {
    const found: ProjectFile[] = [];
    let bytes = 0;
    const visit = async (folder: string): Promise<void> => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        signal.throwIfAborted();
        if (found.length >= FILES_MAX || bytes >= ALL_BYTES_MAX) return;
        const path = join(folder, entry.name);
        if (LEFT_OUT.test(entry.name)) continue;
        if (entry.isDirectory()) await visit(path);
        else if (entry.isFile() && entry.name.endsWith('.lean')) {
          const file = await this.read(path).catch(() => null);
          if (file === null) continue;
          bytes += file.text.length;
          found.push(file);
        }
      }
    };
    await visit(this.root);
    return found;
  }

  /** Returns the project files that a text imports, directly or indirectly, up to a maximum number. */
  async imported(text: string): Promise<ProjectFile[]> {
    const found = new Map<string, ProjectFile>();
    const waiting = [text];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      for (const { name } of readHeader(next).imports) {
        if (found.has(name) || found.size >= FILES_MAX) continue;
        const file = await this.read(`${name.replaceAll('.', sep)}.lean`).catch(() => null);
        if (file === null) continue;
        found.set(name, file);
        waiting.push(file.text);
      }
    return [...found.values()];
  }

  #holds(path: string): boolean {
    return path.startsWith(this.root + sep);
  }

  #below(path: string): string {
    return relative(this.root, path).split(sep).join('/');
  }
}

/** Returns the path of an opened file, without links. */
async function realPathOf(file: FileHandle, asked: string): Promise<string> {
  // Linux reports the path of the open file; elsewhere the path is resolved again.
  return readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(asked));
}

async function readText(
  file: FileHandle,
  refuse: (why: string) => StpError,
): Promise<Pick<ProjectFile, 'text' | 'hash'>> {
  const facts = await file.stat();
  if (!facts.isFile()) throw refuse('it is no file');
  if (facts.size > FILE_BYTES_MAX) throw refuse(`it is larger than ${FILE_BYTES_MAX} bytes`);
  const bytes = Buffer.alloc(Number(facts.size));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  const source = sourceText(bytes.subarray(0, filled));
  if ('reason' in source) throw refuse(source.reason);
  return { text: source.text, hash: sha256(source.text) };
}
