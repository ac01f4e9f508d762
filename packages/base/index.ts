/** Errors, and small helpers for files, processes and tasks, for every package. */
export { describeIssues } from './describe-issues.ts';
export { editDistance } from './edit-distance.ts';
export { ERROR_CODES, type ErrorCode, StpError } from './errors.ts';
export { HALF_CHARACTER, halfCharacterAt } from './half-characters.ts';
export { repeatedKey } from './json-keys.ts';
export { mapConcurrently } from './map-concurrently.ts';
export { printableJson, printableLine, printableText } from './printable.ts';
export { Semaphore } from './semaphore.ts';
