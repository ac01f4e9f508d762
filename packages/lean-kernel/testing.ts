/** Entry for tests and benches of other packages that use `@stp/lean-kernel`. Production code imports `index.ts`. */
export { ModuleJudge } from './olean/module-judge.ts';
export { checkExport } from './run/check-export.ts';
