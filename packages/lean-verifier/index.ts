/**
 * Decides whether Lean accepts a proof of a given statement: toolchain, sandbox, process pool, screen, object judge,
 * certificates.
 */
export { compileLibrary } from './library/compile.ts';
export { growable, growEnvironment, grownHeaders, grownMarks, grownModules } from './library/grown-library.ts';
export { leanMessages } from './library/lean-messages.ts';
export { discoverModules, type LeanModule } from './library/modules.ts';
export { joinProject, variablesForProject, withProject } from './library/project-environment.ts';
export { type LeanHost, openLeanHost } from './runtime/pool/lean-host.ts';
export { openPool } from './runtime/pool/open-pool.ts';
export type { DriverName } from './runtime/process/driver.ts';
export { isFull } from './runtime/process/full-disk.ts';
export { isKilledFromOutside } from './runtime/process/its-own-end.ts';
export { HEADER_DEADLINE_MS } from './runtime/process/json-driver.ts';
export { openDriver } from './runtime/process/open-driver.ts';
export { treeResources } from './runtime/process/process-tree.ts';
export { readFrames } from './runtime/process/server/frames.ts';
export { type ServerWorker, startWorker } from './runtime/process/server/worker.ts';
export type { LeanExit, ProcessContext } from './runtime/process/spawn.ts';
export { watchRun } from './runtime/process/watch-run.ts';
export { openSandbox, type SandboxPolicy } from './runtime/sandbox/open-sandbox.ts';
export type { Sandbox, SandboxFacts } from './runtime/sandbox/sandbox.ts';
export { openRemotePool, type RemotePoolOptions } from './serve/client/remote-pool.ts';
export { readLakeProject } from './toolchain/lake-project.ts';
export { rebuiltProject } from './toolchain/project-marks.ts';
export { explainToolchain, resolveToolchain } from './toolchain/resolve.ts';
export type { Toolchain } from './toolchain/toolchain.ts';
export {
  type CertificateVerdict,
  type CertifiedTexts,
  certificateFile,
  certificateText,
  isConfirmed,
  judgeCertificates,
  readCertificate,
} from './trust/certificate/certificate-file.ts';
export {
  foreignLines,
  grownSection,
  importLines,
  KEPT_NAMESPACE,
  keptSection,
  neededTheorems,
  type ProofText,
  proofsByFile,
} from './trust/certificate/proofs-text.ts';
export { checkFile } from './trust/check-file.ts';
export { FILE_TIMEOUT_MS } from './trust/file-check-steps.ts';
export type { CheckFileOptions, FileReport } from './trust/file-report.ts';
export { FolderModules, modulePath, type Neighbour, type Neighbours } from './trust/folder-modules.ts';
export { closingLines, hasDefinitions, LIBRARY_HEADER, splitImports } from './trust/header.ts';
export {
  GROWN_NAMESPACE,
  type GrownTheorem,
  headerOf,
  isGrownName,
  LEMMA_MARKS,
  markedProof,
  withoutMarks,
} from './trust/kept-theorem.ts';
export { readsAsWritten } from './trust/object/as-written.ts';
export { keepDisagreements, type OnDisagreement } from './trust/object/disagreement.ts';
export { SECOND_KERNEL } from './trust/object/findings.ts';
export { meaningLines } from './trust/object/meaning.ts';
export { compileStatements, givenNamespace, statedName } from './trust/object/stated-module.ts';
export { toolchainFolder } from './trust/object/toolchain-folder.ts';
export { openVerifier, type VerifierOptions } from './trust/open-verifier.ts';
export { namesBoundIn } from './trust/screen/local-names.ts';
export { screenHeader } from './trust/screen/screen-header.ts';
export { screenProof } from './trust/screen/screen-proof.ts';
export { screenStatement } from './trust/screen/screen-statement.ts';
export { FILE_BYTES_MAX } from './trust/source-file.ts';
export { implicitLines } from './trust/stated-form.ts';
export { theoremNamespace, universeParameters } from './trust/theorem-name.ts';
export { HEARTBEATS_USED } from './trust/verdict/batch-reading.ts';
export { endedEarly, infra, note } from './trust/verdict/check-outcome.ts';
export { type BaseLimits, limitClasses, MEMORY_BYTES_MAX } from './trust/verdict/limits.ts';
export { rowVerdict } from './trust/verdict/row-verdict.ts';
export type { Candidate, CheckOptions, CheckResult, LeanEnvironment, Verifier } from './verifier.ts';
