/** Default limits that the commands show in their help. Imports nothing that does work. */
export { DEFAULT_LIMITS } from './serve/limits.ts';
export { MEMORY_BYTES_MAX } from './trust/verdict/limits.ts';
