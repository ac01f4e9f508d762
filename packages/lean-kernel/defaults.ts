/** Limits and choices that the help of commands shows. Loads nothing that does work. */
export { DEFAULT_LIMITS } from './budget.ts';
export { STANDARD_AXIOMS } from './special/axiom-names.ts';
