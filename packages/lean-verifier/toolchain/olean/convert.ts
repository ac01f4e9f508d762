/** Converts a module of the 4.28 library (32 bits) to one that Lean 4.35 (64 bits) loads. */
import { adaptModule, type NativeCode } from './adapt.ts';
import { ASSEMBLED_LEAN_COMMIT, ASSEMBLED_LEAN_VERSION } from './lean-version.ts';
import { moduleHeader } from './object-format.ts';
import { widenModule } from './widen.ts';

const HEADER = moduleHeader(ASSEMBLED_LEAN_VERSION, ASSEMBLED_LEAN_COMMIT);

/**
 * Address of the first module: high in the 2^47 bytes of a process's address space, which programs, heaps and libraries
 * seldom use. If the address is taken, Lean reads the module into memory and relocates it.
 */
export const FIRST_BASE = 0x600000000000;
const PAGE_BYTES = 0x10000;

/** Returns the base address of the next module after one of `bytes` at `base`, with at least a page between them. */
export function nextBase(base: number, bytes: number): number {
  return base + PAGE_BYTES * (1 + Math.ceil(bytes / PAGE_BYTES));
}

/**
 * Converts one module.
 * @param source a complete 32-bit module
 * @param module its path relative to the library folder, with `/`, such as `Init/Core.olean`
 * @param base address at which the result will be mapped
 * @throws StpError STP1204 if the module is damaged
 */
export function convertModule(source: Uint8Array, module: string, base: number, nativeCode: NativeCode): Uint8Array {
  const image = widenModule(source, module, HEADER, base);
  adaptModule(image, module, nativeCode);
  return image.contents();
}
