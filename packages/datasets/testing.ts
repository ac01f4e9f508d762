/** Entry for tests and benches of other packages that use `@stp/datasets`. Production code imports `index.ts`. */
export { PROBLEMS_DIRECTORY } from './loaders/problem-set.ts';
export { buildProblemSet, PROBLEM_SET_NAMES, readVocabulary, statementsText } from './loaders/problem-sets/build.ts';
export { HELD_OUT_SHARE, splitOfSource } from './loaders/problem-sets/split.ts';
export type { Vocabulary } from './loaders/tip/goal.ts';
export { parseSExpressions, type SExpression } from './loaders/tip/s-expression.ts';
