/**
 * Tries to prove that a statement is false: by test values for its variables, for which Lean decides the rest, and by
 * tactics on the negation. A disproof is a certified proof of the negation, which is verified to be the negation of the
 * statement. A failed attempt says nothing.
 */
import type { Certificate } from '@stp/config/records';
import { statementPieces, typeColon } from '@stp/lean-text';
import {
  type Candidate,
  type CheckResult,
  readsAsWritten,
  screenStatement,
  universeParameters,
  type Verifier,
} from '@stp/lean-verifier';
import { type ContextTask, readStatements, type StatementToRead } from '../context/statement-contexts.ts';
import { type Instance, type Instances, type NamedValue, readInstances } from './instances.ts';

/** Number of instances in the first try. Most false statements fail on one of them. */
const FIRST_INSTANCES = 10;
/** Maximum number of proofs per try. */
const AT_ONCE = 60;
const TACTICS: readonly string[] = ['decide', 'omega', 'simp', 'grind'];
const NAME = 'disproof';

export interface DisproveTools {
  readonly verifier: Verifier;
  /** How to compile the statement, with the verifier's environment. */
  readonly task: ContextTask;
}

export interface DisproveOptions {
  /** Tactics to try on the whole negation. Default: `decide`, `omega`, `simp`, `grind`. */
  readonly tactics?: readonly string[];
}

export type Disproof =
  | {
      readonly verdict: 'disproved';
      /** Values for which the statement fails; null if a tactic proved the whole negation. */
      readonly values: readonly NamedValue[] | null;
      readonly words: string;
      /** `theorem disproof : ¬ (∀ BINDERS, TYPE)`, for the statement's header. */
      readonly statement: string;
      readonly proof: string;
      readonly certificate: Certificate | null;
    }
  | {
      /**
       * `unknown`: nothing was found. `invalid`: the statement was refused, or Lean cannot elaborate it. `infra`: Lean
       * could not run.
       */
      readonly verdict: 'unknown' | 'invalid' | 'infra';
      readonly words: string;
      /** The negation; null if it could not be written. */
      readonly statement: string | null;
    };

/**
 * Returns `disproved` only with a proof that the verifier has accepted. Rejects only with the signal's reason, or as
 * `readStatements` does.
 */
export async function disprove(
  asked: StatementToRead,
  { verifier, task }: DisproveTools,
  { tactics = TACTICS }: DisproveOptions = {},
): Promise<Disproof> {
  const screened = screenStatement(asked.statement);
  if (!screened.accepted) return { verdict: 'invalid', words: screened.refusal.reason, statement: null };
  const statement = negated(screened);
  if (statement === null)
    return { verdict: 'invalid', words: 'its binders and its type could not be told apart', statement };
  const header = asked.header ?? task.libraryHeader;
  const both = [asked.statement, statement].map((one) => ({ header, statement: one }));
  const answers = await readStatements<Instances>(both, task, {
    read: readInstances,
    unread: (reason) => ({ reason, isUnreadable: true }),
  });
  const read = answers[0]!;
  if ('reason' in read) return { verdict: read.isUnreadable ? 'invalid' : 'unknown', words: read.reason, statement };
  const byInstance = read.instances.map((instance) => ({ instance, proof: refutation(instance, header) }));
  const byTactic = tactics.map((tactic) => ({ instance: null, proof: `  ${tactic}` }));
  const tries = [[...byInstance.slice(0, FIRST_INSTANCES), ...byTactic]];
  for (let from = FIRST_INSTANCES; from < byInstance.length; from += AT_ONCE)
    tries.push(byInstance.slice(from, from + AT_ONCE));
  let isUnjudged = false;
  for (const attempts of tries) {
    const candidates = attempts.map(({ proof }, index) => ({ id: String(index), header, statement, proof }));
    for (const { kind, id } of await tried(candidates, verifier, task)) {
      isUnjudged ||= kind === 'infra';
      if (kind !== 'proved') continue;
      const [result] = await verifier.check([candidates[Number(id)]!], signalOf(task));
      isUnjudged ||= result!.kind === 'infra';
      if (result!.kind !== 'proved') continue;
      const { instance, proof } = attempts[Number(id)]!;
      const otherwise = await readsAsWritten({ header: asked.header, statement: asked.statement }, task);
      if (otherwise !== null) return { verdict: 'invalid', words: otherwise, statement };
      const values = instance?.values ?? null;
      const certificate = result!.certificate ?? null;
      return { verdict: 'disproved', values, words: inWords(values, proof), statement, proof, certificate };
    }
  }
  if (isUnjudged) return { verdict: 'infra', words: 'Lean could not be run on some of the attempts', statement };
  const words = `none of ${byInstance.length} instances and ${byTactic.length} tactics refutes it; it may be true or false`;
  return { verdict: 'unknown', words, statement };
}

const signalOf = ({ signal }: ContextTask) => (signal === undefined ? {} : { signal });

/** Tries proofs without judging their compiled modules; only a successful one is judged afterwards. */
function tried(
  candidates: readonly Candidate[],
  verifier: Verifier,
  task: ContextTask,
): Promise<readonly CheckResult[]> {
  return verifier.check(candidates, {
    ...signalOf(task),
    confirm: false,
    smallLimitsOnly: true,
    explains: () => false,
  });
}

/** Returns the negated statement, in the namespace of the statement's name; null if there is no colon. */
function negated({ signature, namespace }: { readonly signature: string; readonly namespace: string }): string | null {
  const universes = universeParameters(signature);
  const rest = signature.slice(universes.length);
  const { pieces } = statementPieces(rest);
  const colon = pieces[typeColon(pieces)];
  if (colon === undefined) return null;
  const [binders, type] = [rest.slice(0, colon.at).trim(), rest.slice(colon.at + 1).trim()];
  const name = namespace === '' ? NAME : `${namespace}.${NAME}`;
  return `theorem ${name}${universes} : ¬ (${binders === '' ? '' : `∀ ${binders}, `}${type})`;
}

function refutation(instance: Instance, header: string): string {
  const given = [...instance.arguments].map((argument) => ` ${argument}`).join('');
  const closing = [
    'decide',
    'decide +kernel',
    'omega',
    'simp',
    ...(/^import Mathlib\b/mu.test(header) ? ['norm_num'] : []),
  ];
  return [
    '  intro stated',
    `  have instance_ := @stated${given}`,
    '  revert instance_',
    '  first',
    ...closing.map((tactic) => `    | ${tactic}`),
  ].join('\n');
}

function inWords(values: readonly NamedValue[] | null, proof: string): string {
  if (values === null) return `It is false: the tactic \`${proof.trim()}\` proves the negation.`;
  const named = values.map(({ name, value }) => `${name ?? '_'} = ${value.replace(/^\((.*)\)$/su, '$1')}`);
  return named.length === 0 ? 'It is false.' : `It fails for ${named.join(', ')}.`;
}
