/** Limits and choices that the help of commands shows. It loads no other code. */
export { TERM_SCORINGS } from './retrieval/term-index.ts';
