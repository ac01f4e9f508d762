/**
 * The tools with which `stp lean serve` judges: a verifier over warm processes, readers of answers and files, and
 * disproofs.
 */
import { join } from 'node:path';
import { FORMAT_NAMES, type FormatName, loadFormat } from '@stp/config';
import { theoremsInFile } from '@stp/datasets';
import { type ContextTask, disprove } from '@stp/lean-explore';
import {
  type DriverName,
  type LeanEnvironment,
  type LeanHost,
  LIBRARY_HEADER,
  openVerifier,
  type Sandbox,
} from '@stp/lean-verifier';
import { FileJudge, type GivenAnswer, type ReadProof, type VerdictTools } from '@stp/lean-verifier/serve';
import { formattedForm } from '@stp/selfplay';
import { disagreementsIn } from '../../workers/disagreements.ts';

export interface VerdictSetup {
  readonly environment: LeanEnvironment;
  readonly sandbox: Sandbox;
  readonly driver: DriverName;
  /** Shared with the service's process pool. */
  readonly host: LeanHost;
  readonly processes: number;
  readonly memoryBytesMax: number;
  readonly cacheDirectory: string;
  readonly scratchDirectory: string;
  readonly runMark: string;
}

/** The caller closes the verifier when the service has ended. */
export async function openVerdictTools(setup: VerdictSetup): Promise<VerdictTools> {
  const { environment, sandbox, cacheDirectory, memoryBytesMax, scratchDirectory, runMark, host, processes } = setup;
  const common = {
    environment,
    sandbox,
    memoryBytesMax,
    scratchDirectory,
    runMark,
    host,
    processes,
    indexFolder: join(cacheDirectory, 'constants'),
  };
  const verifier = await openVerifier({
    ...common,
    driver: setup.driver,
    onDisagreement: disagreementsIn(cacheDirectory),
    libraryHeader: LIBRARY_HEADER,
    // Memory and disk use must not grow with the requests.
    cacheDirectory: null,
  });
  const task: ContextTask = {
    processContext: { environment, sandbox, workingDirectory: scratchDirectory, runMark },
    libraryHeader: LIBRARY_HEADER,
    scratchDirectory,
    memoryBytesMax,
    indexFolder: common.indexFolder,
    // Nobody is shown the texts of definitions.
    source: () => null,
  };
  return {
    verifier,
    files: new FileJudge(common),
    // Lean does not judge proofs in words.
    formats: FORMAT_NAMES.filter((name) => name !== 'words'),
    readAnswer,
    theoremsIn: theoremsInFile,
    disprove: (stated, tactics, signal) =>
      disprove(stated, { verifier, task: { ...task, signal } }, tactics === undefined ? {} : { tactics }),
  };
}

/** Reads an answer as a run with this format does. Never throws. */
function readAnswer({ header, statement, answer, format: name, finish, whenChanged }: GivenAnswer): ReadProof {
  const format = loadFormat(name as Exclude<FormatName, 'custom'>);
  const { prover } = format;
  const its =
    whenChanged === undefined
      ? format
      : { ...format, prover: { ...prover, answer: { ...prover.answer, whenChanged } } };
  const read = formattedForm(its, { header, statement }, LIBRARY_HEADER).read(answer, finish);
  if (read.kind === 'proof') return read;
  const { reason, detail } = read.refusal;
  return {
    kind: 'refused',
    verdict: reason === 'changed-statement' ? 'changed_statement' : 'no_proof',
    message: detail,
  };
}
