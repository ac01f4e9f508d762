/** Limits and choices for the help of commands. Loads no working code. */
export { ANSWERS } from './loaders/answers.ts';
export { PUBLIC_SETS } from './prepare/public-sets.ts';
