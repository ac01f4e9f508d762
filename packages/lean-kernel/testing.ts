/** Entry point for tests and benchmarks of other packages. Production code imports `index.ts`. */
export { WarmModuleChecker } from './olean/warm-module-checker.ts';
export { checkExport } from './run/check-export.ts';
