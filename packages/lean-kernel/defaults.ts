/** Default limits that the commands show in their help. Imports nothing that does work. */
export { DEFAULT_LIMITS } from './budget.ts';
export { STANDARD_AXIOMS } from './special/axiom-names.ts';
