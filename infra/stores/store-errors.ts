/** Describes failures of stores for people: the object, the reason and advice. */
import { StpError } from '@stp/base';

export function damaged(uri: string, how: string): StpError {
  return new StpError(
    'STP1402',
    `${uri} is damaged: ${how}`,
    'Remove the object and run the stage that made it again, or restore it from a copy.',
    { facts: { uri } },
  );
}

export function missing(uri: string): StpError {
  return new StpError(
    'STP1403',
    `${uri} does not exist`,
    'Check the name; if the object was removed, run the stage that made it again.',
    { facts: { uri } },
  );
}

export function differs(uri: string, stored: string, offered: string): StpError {
  return new StpError(
    'STP1404',
    `${uri} exists already with other bytes (CRC-32C ${stored}, offered ${offered})`,
    'Objects are written once. Two runs may be using one folder, or a stage does not give the same bytes twice.',
    { facts: { uri, stored, offered } },
  );
}

const FILE_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC:
    'The disk is full. Free space there or choose a store on another disk; what was being written has been removed.',
  EDQUOT:
    'The disk quota is used up. Free space there or choose another store; what was being written has been removed.',
  EACCES: 'Give this user the right to write there, or choose another folder.',
  EPERM: 'Give this user the right to write there; the file system must allow hard links.',
  EROFS: 'The file system is mounted read-only. Choose a folder on another one.',
  EEXIST: 'A part of the path is a file where a folder is needed. Choose another folder or name.',
  ENOTDIR: 'A part of the path is a file where a folder is needed. Choose another folder or name.',
  EISDIR: 'The name is a folder already. Choose another name.',
  EMFILE: 'Too many files are open. Raise the limit (ulimit -n) or run fewer things at once.',
};

/** Errors that pass by themselves or when space is free. Other errors need a person. */
const PASSING: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'EAGAIN',
  'EBUSY',
  'ETIMEDOUT',
  'ESTALE',
]);

/** Describes a failure of the file system while writing. Errors with a description stay unchanged. */
export function cannotWrite(uri: string, error: unknown): unknown {
  return explained('STP1401', 'cannot be written', uri, error);
}

/** Describes a failure of the file system while reading: STP1403 for a missing object. */
export function cannotRead(uri: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return missing(uri);
  return explained('STP1405', 'cannot be read', uri, error);
}

function explained(code: 'STP1401' | 'STP1405', what: string, uri: string, error: unknown): unknown {
  const reason = (error as NodeJS.ErrnoException).code;
  if (error instanceof StpError || !(error instanceof Error) || reason === undefined || !('syscall' in error))
    return error;
  const advice = FILE_ADVICE[reason] ?? 'Look at the reason above; try again once it is gone.';
  return new StpError(code, `${uri} ${what}: ${error.message}`, advice, {
    facts: { uri, reason },
    retryable: PASSING.has(reason),
    cause: error,
  });
}
