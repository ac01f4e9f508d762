/**
 * Lists the dynamic symbols that a 64-bit ELF shared library defines. Reads the section table, the symbol table and its
 * strings, but not the code (hundreds of megabytes).
 * Source: System V ABI, "Object Files" (ELF-64), chapters on the section header and the symbol table.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { StpError } from '@stp/base';

const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]); // "\x7fELF", 64 bits, little-endian
const FILE_HEADER_BYTES = 64;
const SECTION_TABLE_OFFSET = 40;
const SECTION_ENTRY_BYTES = 58;
const SECTION_COUNT = 60;

const SECTION_TYPE = 4;
const SECTION_OFFSET = 24;
const SECTION_BYTES = 32;
const SECTION_LINK = 40;
const TYPE_DYNAMIC_SYMBOLS = 11;

const SYMBOL_BYTES = 24;
const SYMBOL_SECTION = 6;
const SECTION_UNDEFINED = 0;

interface Section {
  readonly type: number;
  readonly offset: number;
  readonly bytes: number;
  /** Index of the section that contains the strings of a symbol table. */
  readonly link: number;
}

function damaged(path: string, what: string): StpError {
  return new StpError('STP1204', `${path} is no usable shared library: ${what}`, 'Run the set-up again.', {
    facts: { path },
  });
}

async function readExactly(file: FileHandle, path: string, offset: number, bytes: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (offset + bytes > size) throw damaged(path, 'it is cut short');
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await file.read(buffer, 0, bytes, offset);
  if (bytesRead !== bytes) throw damaged(path, 'it is cut short');
  return buffer;
}

async function readSections(file: FileHandle, path: string): Promise<Section[]> {
  const header = await readExactly(file, path, 0, FILE_HEADER_BYTES);
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) throw damaged(path, 'it is not 64-bit little-endian ELF');
  const entryBytes = header.readUInt16LE(SECTION_ENTRY_BYTES);
  const count = header.readUInt16LE(SECTION_COUNT);
  const table = await readExactly(file, path, Number(header.readBigUInt64LE(SECTION_TABLE_OFFSET)), entryBytes * count);
  return Array.from({ length: count }, (_, index) => {
    const entry = table.subarray(index * entryBytes);
    return {
      type: entry.readUInt32LE(SECTION_TYPE),
      offset: Number(entry.readBigUInt64LE(SECTION_OFFSET)),
      bytes: Number(entry.readBigUInt64LE(SECTION_BYTES)),
      link: entry.readUInt32LE(SECTION_LINK),
    };
  });
}

/**
 * Returns the names of the defined dynamic symbols that start with `prefix`.
 * @throws StpError STP1204 if the file is not an ELF shared library or is truncated
 */
export async function definedSymbols(path: string, prefix: string): Promise<Set<string>> {
  const file = await open(path);
  try {
    const sections = await readSections(file, path);
    const symbolSection = sections.find(({ type }) => type === TYPE_DYNAMIC_SYMBOLS);
    const stringSection = sections[symbolSection?.link ?? 0];
    if (symbolSection === undefined || stringSection === undefined) throw damaged(path, 'it has no dynamic symbols');
    const symbols = await readExactly(file, path, symbolSection.offset, symbolSection.bytes);
    const strings = await readExactly(file, path, stringSection.offset, stringSection.bytes);
    const names = new Set<string>();
    for (let at = 0; at < symbols.length; at += SYMBOL_BYTES) {
      if (symbols.readUInt16LE(at + SYMBOL_SECTION) === SECTION_UNDEFINED) continue;
      const start = symbols.readUInt32LE(at);
      const end = strings.indexOf(0, start);
      if (strings.subarray(start, start + prefix.length).toString('latin1') !== prefix) continue;
      names.add(strings.toString('latin1', start, end));
    }
    return names;
  } finally {
    await file.close();
  }
}
