/** Content hashes that name records and objects. */
export { contentId, sha256, statementId, wordsId } from './schemas/ids.ts';
