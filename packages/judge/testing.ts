/** Entry for tests and benches of other packages that use `@stp/judge`. Production code imports `index.ts`. */
export { spearman } from './audit.ts';
