/**
 * Like `testing.ts`, for tests only: hooks of the test runner close whatever these functions open. Benchmarks have no
 * such hooks.
 */
export { open } from './testing/opened-verifier.ts';
export { post, type Served, serveLean } from './testing/served.ts';
