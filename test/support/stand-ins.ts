/** Whole values of large types, for tests that care for a part of them. */
import type { FileReport, LeanEnvironment } from '@stp/lean-verifier';

/** A Lean that is not there, for what only names its version. */
export const leanOfVersion = (version: string): LeanEnvironment => ({
  source: 'configured',
  executable: '/nowhere/lean',
  version,
  searchPath: [],
  fingerprint: version,
  toleratesLibraryAxioms: false,
});

/** A report of a check of a file. */
export const fileReport = (path: string, more: Partial<FileReport>): FileReport => ({
  path,
  outcome: 'accepted',
  theorems: [],
  exit: 'finished',
  messages: [],
  reason: '',
  leanVersion: 'Lean test',
  fingerprint: 'Lean test',
  libraryHasProofs: true,
  checks: [],
  sandbox: { kind: 'none', description: 'a test' },
  memory: { bytesMax: 0, peakBytes: 0 },
  ...more,
});

/** A port that nobody may use here. */
export const unasked = (): Promise<never> => Promise.reject(new Error('this test has no such port'));
