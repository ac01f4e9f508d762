/**
 * The proofs of a round, from shards to verdicts. If the library grows, the round's conjectures are tried first, and
 * the proved ones join the library before the statements are tried.
 */

import { type ArtifactRef, type CheckpointRef, isInWords, type ShardResult, triesActions } from '@stp/config/workflow';
import { setCurrentDetails } from '@temporalio/workflow';
import type { Collected } from '../../activities/round/collected.ts';
import type { RoundContext } from '../../activities/round/round-context.ts';
import { streaming } from '../control/activity-proxies.ts';
import type { Stage } from '../control/contracts.ts';
import type { ShardTally } from '../control/shard-tally.ts';
import { byOne } from '../nodes/machine-pool.ts';
import { readyNodes } from '../nodes/ready-nodes.ts';
import { endLean } from '../nodes/stage-clean-up.ts';
import { proveShards } from './prove-shards.ts';

export interface ProveRoundInput {
  /** With the library as it was before the round's conjectures were tried. */
  readonly context: RoundContext;
  /** Null: the round has no conjectures. */
  readonly conjectures: ArtifactRef | null;
  readonly hostQueues: readonly string[];
  readonly checkpoint: CheckpointRef;
  readonly tally: ShardTally;
  readonly enter: (stage: Stage, details: string) => Promise<void>;
  readonly isOpen: () => boolean;
  /** Title above the figures of a shard in the UI. */
  readonly title: string;
}

export interface ProvedRound extends Collected {
  readonly shards: readonly ShardResult[];
  /** The library that the statements' proofs could use. */
  readonly library: ArtifactRef | null;
}

/** Statements or conjectures that are tried together, over one library. */
interface Pass {
  /** Folder of the pass's objects. */
  readonly name: string;
  readonly conjectures: ArtifactRef | null;
  readonly statements: boolean;
}

export async function proveRound(input: ProveRoundInput): Promise<ProvedRound> {
  const { context, conjectures, hostQueues, checkpoint, tally, enter } = input;
  const { run, name, config } = context;
  let { library } = context;
  const judged = isInWords(config) ? 'having them judged' : 'verifying them in Lean';
  const enterPass = ({ statements }: Pass) =>
    enter('prove', `sampling proofs${statements ? '' : ' of conjectures'} and ${judged}`);
  const passes = passesOf(input);
  const cut = { ...context, passes: passes.length };
  await enterPass(passes[0]!);
  const [plans] = await Promise.all([
    Promise.all(passes.map((pass) => streaming(`cut ${labelOf(pass)} into shards`).planShards({ ...cut, ...pass }))),
    conjectures === null ? readyNodes(run, hostQueues, checkpoint) : null,
  ]);
  const ranking = triesActions(config.prover) ? await streaming('rank actions').rankActions(context) : null;
  const passed: Collected[] = [];
  const shards: ShardResult[] = [];
  for (const [index, pass] of passes.entries()) {
    const planned = plans[index]!.shards;
    tally.begin(planned.length);
    const before = passed.at(-1);
    if (before !== undefined) {
      await enterPass(pass);
      const own = { library, proved: before.proved };
      library = await byOne(hostQueues, 'grow the library by conjectures', (machine) =>
        machine.growLibrary({ ...context, name: pass.name, own }),
      );
    }
    const { shards: tried, ...own } = await provePass(input, { ...context, ...pass, library }, planned, ranking);
    shards.push(...tried);
    passed.push(own);
  }
  const all =
    passed.length === 1 ? passed[0]! : await streaming('put passes together').joinPasses({ run, name, passes: passed });
  return { ...all, shards, library };
}

function passesOf({ context: { name, config }, conjectures }: ProveRoundInput): readonly Pass[] {
  const inTwo = conjectures !== null && conjectures.count > 0 && config.library === 'grow';
  if (!inTwo) return [{ name, conjectures, statements: true }];
  return [
    { name: `${name}/conjectures`, conjectures, statements: false },
    { name: `${name}/statements`, conjectures: null, statements: true },
  ];
}

function labelOf({ conjectures, statements }: Pass): string {
  if (!statements) return 'conjectures';
  return conjectures === null ? 'statements' : 'statements and conjectures';
}

async function provePass(
  { hostQueues, checkpoint, tally, isOpen, title }: ProveRoundInput,
  pass: RoundContext & Pass,
  planned: readonly ArtifactRef[],
  ranking: ArtifactRef | null,
): Promise<Collected & { readonly shards: readonly ShardResult[] }> {
  const { run, name, config, library, round } = pass;
  const onShard = (shard: ShardResult): void => {
    tally.add(shard);
    const { shardsDone, shardsTotal, samples, successes } = tally.figures();
    setCurrentDetails(
      `**${title}** · proving ${labelOf(pass)}: ${shardsDone} of ${shardsTotal} shards, ${samples} samples, ` +
        (isInWords(config) ? 'judged' : `${successes} accepted by Lean`),
    );
  };
  const common = { run, name, hostQueues, checkpoint, library, round, ranking };
  const shards = await proveShards({ ...common, shards: planned, config, isOpen, onShard });
  await endLean(run, hostQueues, 'prove');
  return { shards, ...(await streaming('count pass rates').collectRound({ ...pass, shards })) };
}
