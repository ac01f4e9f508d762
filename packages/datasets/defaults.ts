/** Limits and choices that the help of commands shows. Loads nothing that does work. */
export { ANSWERS } from './loaders/answers.ts';
export { PUBLIC_SETS } from './prepare/public-sets.ts';
