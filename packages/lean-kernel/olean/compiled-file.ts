/** Reads the file of a compiled module with its parts, and converts read errors to errors for people. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Terms } from '../expr.ts';
import { InputError } from '../input-error.ts';
import { Decline } from '../verdict.ts';
import { Damaged, Heap } from './heap.ts';
import { CompiledModule } from './module-data.ts';

/** Maximum size of a module. The largest of Lean and of Mathlib have about 20 MB. */
const MODULE_BYTES_MAX = 512 * 1024 * 1024;
/** Suffixes of the files into which the module system splits a module. The last existing file contains everything. */
const PARTS = ['', '.server', '.private'];

/**
 * Reads a module with its parts. Throws `InputError` for a file that is not a module, `Decline` for an unsupported one.
 */
export function readModule(path: string, terms: Terms): CompiledModule {
  return explained(path, () => {
    const parts = PARTS.map((part) => path + part).filter((part) => part === path || existsSync(part));
    return new CompiledModule(new Heap(parts.map(readWhole)), terms);
  });
}

/** Converts errors from reading `path` to errors that help a person. */
export function explained<Read>(path: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof Decline) throw new Decline(`${path}: ${error.message}`);
    // A `DataView` throws a RangeError for an offset outside its bytes.
    if (error instanceof Damaged || error instanceof RangeError)
      throw new InputError(`${path} is damaged: ${error.message}`, 'Compile the module again.', {
        facts: { path },
      });
    throw error;
  }
}

function readWhole(path: string): Buffer {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const { size } = fstatSync(file);
    if (size > MODULE_BYTES_MAX) throw new Decline(`more than ${MODULE_BYTES_MAX} bytes`);
    const bytes = Buffer.alloc(size);
    let filled = 0;
    while (filled < size) {
      const got = readSync(file, bytes, filled, size - filled, filled);
      if (got === 0) throw new Damaged('it is cut short');
      filled += got;
    }
    return bytes;
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new InputError(`${path} cannot be read: ${error.message}`, 'Give a compiled module (`lean -o`).', {
      cause: error,
    });
  } finally {
    if (file !== null) closeSync(file);
  }
}
