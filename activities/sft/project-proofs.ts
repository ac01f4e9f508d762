/**
 * SFT sets from the proofs that a project's sources contain for the statements of its problem set: whole proofs, and
 * the next tactics of their traces. Each proof was run at its position in the source, so it may use everything above.
 * The number of proofs that also hold below the set's own header is counted. No example contains a held-out statement
 * of the problem set.
 */
import { contentId } from '@stp/config/ids';
import type { Example, LibraryTheorem, Statement } from '@stp/config/records';
import { type SftManifest, writeSftSet } from '@stp/datasets';
import { type FilePositions, traceProofInFile, type WrittenProof } from '@stp/lean-explore';
import type { Verifier } from '@stp/lean-verifier';
import { formExamples, plainStateForm, proverExample, randomStream } from '@stp/selfplay';

/** Number of proofs verified together; it bounds memory for large projects. */
const AT_ONCE = 200;
/** CPU time of a traced tactic. */
const STEP = { deadlineMs: 6_000 };

export interface ProjectProofs {
  readonly name: string;
  /** Data folder; the sets are `SFT/NAME` and `SFT/NAME-steps` in it. */
  readonly folderOf: (set: string) => string;
  readonly seed: number;
  readonly replace: boolean;
  readonly statements: readonly Statement[];
  /** Proofs in the project's sources, each with its file. */
  readonly proofs: ReadonlyMap<string, WrittenProof & { readonly file: string }>;
  readonly verifier: Pick<Verifier, 'check'>;
  readonly positions: FilePositions;
  readonly signal: AbortSignal;
}

export interface PreparedProofs {
  readonly proofs: SftManifest;
  readonly steps: SftManifest;
  readonly counts: {
    /**
     * Number of statements without a proof in the sources, and of those whose proof Lean does not follow step by step
     * to its end. These give no example.
     */
    readonly withoutProof: number;
    readonly untraced: number;
    /**
     * Number of proofs with examples, and of those that also hold below the set's header, without the file's earlier
     * theorems.
     */
    readonly traced: number;
    readonly holdingBelowHeader: number;
  };
}

interface Traced {
  readonly statement: Statement;
  readonly record: LibraryTheorem;
  readonly steps: readonly Example[];
}

export async function projectProofs(asked: ProjectProofs): Promise<PreparedProofs> {
  const { statements, proofs, verifier, signal, name } = asked;
  const written = statements.flatMap((statement) => {
    const found = proofs.get(statement.name);
    return found === undefined ? [] : [{ statement, found }];
  });
  const traced: Traced[] = [];
  for (const { statement, found } of written) {
    const steps = await stepsOf(found, asked);
    if (steps.length > 0) traced.push({ statement, record: recordOf(statement, found), steps });
  }
  let holdingBelowHeader = 0;
  for (let from = 0; from < traced.length; from += AT_ONCE) {
    const candidates = traced
      .slice(from, from + AT_ONCE)
      .map(({ statement: { id, header, statement }, record: { proof } }) => {
        return { id, header, statement, proof };
      });
    const results = await verifier.check(candidates, { signal, explains: () => false });
    holdingBelowHeader += results.filter(({ kind }) => kind === 'proved').length;
  }
  return {
    proofs: await write(
      name,
      traced,
      ({ record: { statement, proof } }) => [proverExample(statement, proof, 1)],
      asked,
    ),
    steps: await write(`${name}-steps`, traced, ({ steps }) => steps, asked),
    counts: {
      withoutProof: statements.length - written.length,
      untraced: written.length - traced.length,
      traced: traced.length,
      holdingBelowHeader,
    },
  };
}

function write(
  set: string,
  traced: readonly Traced[],
  examplesOf: (one: Traced) => readonly Example[],
  { name, folderOf, replace, seed }: ProjectProofs,
): Promise<SftManifest> {
  const part = (split: Statement['split']) => traced.filter(({ statement }) => statement.split === split);
  return writeSftSet(folderOf(set), replace, {
    name: set,
    train: randomStream(seed, 'sft').shuffle(part('train').flatMap(examplesOf)),
    heldOut: part('held-out').flatMap(examplesOf),
    theorems: part('train').map(({ record }) => record),
    heldOutTheorems: part('held-out').length,
    card: (counts) => card(set, name, counts),
  });
}

/** Returns an example for each step of a proof; none if Lean does not reach its end step by step. */
async function stepsOf({ above, proof }: WrittenProof, { positions, signal }: ProjectProofs): Promise<Example[]> {
  const options = { ...STEP, signal };
  const opened = await positions.openAt(above, options);
  if (opened.kind !== 'open') return [];
  const steps = await traceProofInFile(opened.state, proof, options);
  return steps.flatMap(({ goal, tactic }) => formExamples(plainStateForm(goal), tactic, 1));
}

const recordOf = (statement: Statement, { file, line, proof }: WrittenProof & { file: string }): LibraryTheorem => ({
  id: contentId('project proof', statement.id, proof),
  name: statement.name,
  file,
  line,
  statement: statement.statement,
  proof,
  header: statement.header ?? '',
  premises: [],
});

const card = (name: string, set: string, counts: SftManifest['counts']): string =>
  [
    `# ${name}`,
    '',
    `Proofs that the sources of a Lean project have for the statements of the problem set \`${set}\`, names written in full. Lean ran each in its`,
    'place in the source, so a proof may use theorems above it that the header of the statement does not load.',
    '',
    "- **Licence**: the project's.",
    `- **Examples**: ${counts.proverExamples - counts.stateExamples} proofs, ${counts.stateExamples} next tactics.`,
    `- **Held out**: ${counts.heldOutTheorems} theorems, those that the problem set holds out; they train nothing.`,
    '',
  ].join('\n');
