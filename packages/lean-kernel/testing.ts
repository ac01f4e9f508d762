/** What tests and benches of other packages use of `@stp/lean-kernel`. Production code imports `index.ts`. */
export { ModuleJudge } from './olean/module-judge.ts';
export { checkExport } from './run/check-export.ts';
