/** Entry point for tests and benchmarks of other packages. Production code imports `index.ts`. */
export { ModuleJudge } from './olean/module-judge.ts';
export { checkExport } from './run/check-export.ts';
