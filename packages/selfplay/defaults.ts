/** Limits and choices that the help of commands shows. Loads nothing that does work. */
export { TERM_SCORINGS } from './retrieval/term-index.ts';
