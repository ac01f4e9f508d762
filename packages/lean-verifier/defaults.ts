/** Limits and choices that the help of commands shows. Loads nothing that does work. */
export { DEFAULT_LIMITS } from './serve/limits.ts';
export { MEMORY_BYTES_MAX } from './trust/verdict/limits.ts';
