/** Like `testing.ts`, for tests alone: what is opened here is closed by hooks of the test runner, which no bench has. */
export { open } from './testing/opened-verifier.ts';
export { post, type Served, serveLean } from './testing/served.ts';
