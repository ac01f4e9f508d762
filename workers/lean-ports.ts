/** The ports that check proofs and files, grow libraries and prove by steps, over this machine's Lean or Lean servers. */
import { join } from 'node:path';
import { contentId } from '@stp/config/ids';
import { libraryTheoremSchema } from '@stp/config/records';
import { keepRows, openSteps, PORTFOLIO_VERSION, readRecord } from '@stp/lean-explore';
import {
  type CheckFileOptions,
  checkFile,
  growable,
  LIBRARY_HEADER,
  limitClasses,
  openLeanHost,
  openVerifier,
  type SandboxFacts,
} from '@stp/lean-verifier';
import { TRIVIAL_PROOF } from '@stp/selfplay';
import type { Ports, Sources } from '../activities/ports.ts';
import { readRecords } from '../activities/records/record-files.ts';
import { preparedDataOf } from '../activities/run/taken-over.ts';
import { remoteVerifier } from './remote-verifier.ts';
import type { RunContext } from './run-context.ts';
import { RunVerifiers } from './run-verifiers.ts';

type LeanPorts = Pick<Ports, 'verifier' | 'steps' | 'sandbox' | 'growable' | 'checkFile' | 'portfolioKept'>;

/** Makes the ports that run Lean. Returns also the warm verifiers behind them. */
export function leanPorts(
  context: RunContext,
  sources: Pick<Sources, 'libraryTheorems'>,
): { readonly ports: LeanPorts; readonly verifiers: RunVerifiers } {
  const { settings, environment, objectJudge, mark, scratch, sandboxFor, growing, grownEnvironment } = context;
  const host = openLeanHost();
  const verifiers = runVerifiers(context, sources, host);
  const ports: LeanPorts = {
    verifier: (run, limits, grown = []) => verifiers.get(run, limits, grown),
    async steps(run, limits, grown = []) {
      const sandbox = await sandboxFor(limits.sandbox);
      const { heartbeatsMax, memoryBytesMax } = limitClasses(limits).big;
      return openSteps({
        environment: await grownEnvironment(run, grown, sandbox),
        libraryHeader: LIBRARY_HEADER,
        workingDirectory: await scratch(run),
        runMark: mark(run, 'lean'),
        sandbox,
        heartbeatsMax,
        memoryBytesMax,
      });
    },
    sandbox: async (policy) => (await sandboxFor(policy)).facts,
    growable: async (run, earlier, added, limits, signal) =>
      growable(environment, earlier, added, {
        ...growing(run),
        sandbox: await sandboxFor(limits.sandbox),
        trivialProof: TRIVIAL_PROOF,
        processes: limits.processes,
        signal,
      }),
    checkFile: async (run, path, limits, signal) => {
      const options: CheckFileOptions = {
        sandbox: await sandboxFor(limits.sandbox),
        indexFolder: objectJudge.indexFolder,
        scratchDirectory: await scratch(run),
        runMark: mark(run, 'lean'),
        memoryBytesMax: limitClasses(limits).big.memoryBytesMax,
        signal,
      };
      return host.permits.run(limits.processes, () => checkFile(path, environment, options), signal);
    },
    async portfolioKept(base) {
      const limits = limitClasses(base);
      const key = contentId('portfolio', `${PORTFOLIO_VERSION}`, environment.fingerprint, JSON.stringify(limits));
      const path = join(settings.cacheDirectory, 'portfolio', `${key}.jsonl`);
      const { version: leanVersion, fingerprint } = environment;
      return {
        rows: (await readRecord(path))?.rows ?? new Map(),
        add: (rows) => keepRows(path, { portfolio: PORTFOLIO_VERSION, leanVersion, fingerprint }, rows),
      };
    },
  };
  return { ports, verifiers };
}

function runVerifiers(
  context: RunContext,
  sources: Pick<Sources, 'libraryTheorems'>,
  host: ReturnType<typeof openLeanHost>,
): RunVerifiers {
  const { settings, environment, objectJudge, mark, scratch, sandboxFor, grownEnvironment } = context;
  /** Returns the theorems that a run's proof may name as premises: those of its SFT set, or else of our library. */
  const theoremNames = async (run: string): Promise<string[]> => {
    const store = await context.store(run);
    const data = await preparedDataOf(store);
    if (data === null) return (await sources.libraryTheorems()).map((theorem) => theorem.name);
    const names: string[] = [];
    for await (const theorem of readRecords(store, data.theorems, libraryTheoremSchema)) names.push(theorem.name);
    return names;
  };
  // Verdicts of an unsandboxed Lean are not reused by a run that requires a sandbox.
  const verdictsFolder = ({ kind }: SandboxFacts): string =>
    join(settings.cacheDirectory, kind === 'none' ? 'verdicts-unprotected' : 'verdicts');
  return new RunVerifiers(async (run, limits, grown) => {
    const sandbox = await sandboxFor(limits.sandbox);
    const common = {
      libraryHeader: LIBRARY_HEADER,
      batchSize: limits.candidatesPerProcess,
      candidateTimeoutMs: limits.candidateTimeoutMs,
      memoryBytesMax: limits.memoryBytesMax,
      sandbox,
      ...objectJudge,
      scratchDirectory: await scratch(run),
      runMark: mark(run, 'lean'),
      premiseNames: [...(await theoremNames(run)), ...grown.map((theorem) => theorem.name)],
    };
    if (settings.leanServers !== null && grown.length === 0) {
      const sandboxRequired = limits.sandbox === 'required';
      const cacheDirectory = verdictsFolder;
      return remoteVerifier(settings.leanServers, { ...common, environment, sandboxRequired, cacheDirectory });
    }
    return openVerifier({
      ...common,
      environment: await grownEnvironment(run, grown, sandbox),
      driver: limits.driver,
      processes: limits.processes,
      host,
      cacheDirectory: verdictsFolder(sandbox.facts),
    });
  });
}
