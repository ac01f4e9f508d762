/** What tests and benches of other packages use of `@stp/config`. Production code imports `index.ts`. */
export { generatorEngineSchema, trainerEngineSchema } from './schemas/engines.ts';
export { normaliseStatement } from './schemas/ids.ts';
export { objectiveConfigSchema } from './schemas/objectives.ts';
export { promptFormatSchema } from './schemas/prompt-format.ts';
export { NO_SEARCH } from './schemas/search.ts';
export { CERTIFICATE, libraryTheorem, proved, statement } from './testing/records.ts';
