/** Helpers for files and processes. All other helpers work without Node. */
export { isDiskFull } from './disk-full.ts';
export { ageMs, isGone, withFileLock } from './file-lock.ts';
export { freeBytesOf } from './free-bytes.ts';
export { isThere } from './is-there.ts';
export { readJsonArray } from './json-array.ts';
export { anyLinesOf, fileChunks, LINE_BYTES_MAX, linesOf, readLines, unreadable } from './lines.ts';
export { madeBy } from './made-json.ts';
export { folderOwner, makeOwnedFolder, orphanPrefix } from './owned-folders.ts';
export {
  ageSeconds,
  answersSignal,
  commandLineOf,
  identify,
  isOwnerGone,
  isRunning,
  listProcesses,
  ownerOfThisProcess,
  type ProcessIdentity,
  type ProcessStat,
  readProcess,
  residentBytes,
  runMarkOf,
} from './processes.ts';
export { publishFolder } from './publish-folder.ts';
export { fileMark, folderMarks, keep, type Memory, recall, remember } from './remembered.ts';
export { RUN_MARK, type RunMark, type RunOwner, type RunPart, readRunMark, writeRunMark } from './run-mark.ts';
