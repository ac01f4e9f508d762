/** What tests and benches of other packages use of `@stp/judge`. Production code imports `index.ts`. */
export { spearman } from './audit.ts';
