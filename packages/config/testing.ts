/** Entry for tests and benches of other packages that use `@stp/config`. Production code imports `index.ts`. */
export { generatorEngineSchema, trainerEngineSchema } from './schemas/engines.ts';
export { normaliseStatement } from './schemas/ids.ts';
export { objectiveConfigSchema } from './schemas/objectives/index.ts';
export { promptFormatSchema } from './schemas/prompt-format.ts';
export { NO_SEARCH } from './schemas/search.ts';
export { CERTIFICATE, certificateOf, libraryTheorem, proved, statement } from './testing/records.ts';
