/** Reads problem sets and SFT sets in their public formats, and writes ours. */
export type { Answers } from './loaders/answers.ts';
export { readDataset, readStatements } from './loaders/dataset.ts';
export { theoremsInFile } from './loaders/file-theorems.ts';
export type { DatasetFormat } from './loaders/formats.ts';
export { splitOfSource } from './loaders/problem-sets/split.ts';
export { countResults, readSearchResults, type SearchResult } from './loaders/search-results.ts';
export { theoremText } from './loaders/theorem-text.ts';
export { SET_NAME, writeFolder } from './prepare/folder.ts';
export { JsonArrayFile } from './prepare/json-array-file.ts';
export { fileSha256, writeLines } from './prepare/line-file.ts';
export { type ProblemSetReport, prepareProblemSet } from './prepare/problem-set.ts';
export { MATHLIB_HEADER, PUBLIC_SETS, type PublicSetName } from './prepare/public-sets.ts';
export {
  CORPUS_FILE,
  ORIGIN_FILE,
  readSetOrigin,
  requireSameLean,
  type SetOrigin,
} from './prepare/set-origin.ts';
export { openSftSet, type SftManifest, type SftSet, writeSftSet } from './prepare/sft-set.ts';
export { readStpConfig } from './prepare/stp-config.ts';
