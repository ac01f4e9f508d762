/** Activities that do no work: they answer in the right shapes at once, count their calls, and fail when told to. */

import { resolveConfig } from '@stp/config';
import type { ArtifactRef } from '@stp/config/records';
import { NO_SEARCH } from '@stp/config/testing';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { nodesStateActivity } from '../../activities/control/nodes-state.ts';
import { requestNodesActivity } from '../../activities/control/request-nodes.ts';
import type { WatchInput } from '../../activities/control/watch-nodes.ts';
import type { ControlActivities, HostActivities, LeanActivities } from '../../activities/index.ts';
import type { CloudMachines } from '../../activities/ports.ts';
import type { NodeProvider, NodesState, RequestResult } from '../../infra/nodes/provider.ts';
import type { WatchEnd } from '../../workflows/nodes/provisioning-steps.ts';

export const HOST_QUEUE = 'stp/host/test';
/** Interval of heartbeats at the gate, so that a waiting activity does not count as lost on a slow machine. */
const GATE_HEARTBEAT_MS = 1_000;

export function ref(name: string, count = 1): ArtifactRef {
  return { uri: `file:///test/${name}`, generation: '1', crc32c: 'AAAAAA==', bytes: 1, count };
}

export interface Fakes {
  readonly activities: ControlActivities & HostActivities & LeanActivities;
  /** Names of the called activities in order, with the round or the reason if there is one. */
  readonly calls: string[];
  /** Activities whose calls fail permanently while they are in this set. */
  readonly broken: Set<string>;
  /** While set, `sampleShard` waits for it. */
  gate: Promise<void> | null;
  /** The cloud's answer to a request. */
  asked: RequestResult;
  /** The cloud's answer about a set of machines. */
  state: (generation: number) => NodesState;
  /** Price of the machines. */
  /** End of the watch over a set of machines. */
  watch: (input: WatchInput) => Promise<WatchEnd>;
}

/** @param gateParts number of parts in which conjectures are gated; two of each pass, and a round takes four */
export function fakeActivities(shards = 2, gateParts = 1): Fakes {
  const calls: string[] = [];
  const broken = new Set<string>();
  const fakes: Pick<Fakes, 'gate' | 'asked' | 'state' | 'watch'> = {
    gate: null,
    asked: { kind: 'accepted' },
    state: () => ({ kind: 'absent' }),
    watch: async () => {
      await Context.current().cancelled;
      return { kind: 'over' };
    },
  };
  const call = (name: string, detail: string | number = ''): void => {
    calls.push(`${name} ${detail}`.trim());
    if (broken.has(name)) throw ApplicationFailure.nonRetryable(`${name} is broken`, 'STP1701');
  };
  /** Real machine activities, which wait, over a cloud whose answers the test sets. */
  const machines: CloudMachines = { provider: (run) => ({ provider: cloud as NodeProvider, name: run, label: run }) };
  const cloud: Pick<NodeProvider, 'request' | 'state'> = {
    async request({ generation }) {
      call('requestNodes', generation);
      return fakes.asked;
    },
    async state({ generation }) {
      call('nodesState', generation);
      return fakes.state(generation);
    },
  };
  const checkpoint = (name: string) => ({ manifest: ref(name), model: name });
  const counts = (round: number) => ({
    attempted: 10,
    samples: 40,
    distinctSamples: 20,
    tokens: 100,
    leanSeconds: 1,
    conjecturesMade: round > 0 ? 8 : 0,
    conjecturesAttempted: round > 0 ? 4 : 0,
    conjecturesProved: round > 0 ? 2 : 0,
    conjecturesKept: round > 0 ? 1 : 0,
    conjecturesMatched: round > 0 ? 1 : 0,
    gate: {},
    verdicts: { proved: 4, rejected: 36 },
    provedThisRound: 2,
    provedEver: 2 + round,
    certified: 3,
    kernelsDisagreed: 0,
    proverExamples: 3,
    conjecturerExamples: 1,
  });
  const activities: ControlActivities & HostActivities & LeanActivities = {
    async prepareRun(_run, input) {
      call('prepareRun');
      return resolveConfig({ preset: 'smoke', set: input.set, flags: { rounds: input.rounds } });
    },
    async prepareData() {
      call('prepareData');
      const data = {
        train: ref('train', 10),
        heldOut: ref('held-out', 4),
        heldOutKeys: ref('keys'),
        canaries: ref('canaries'),
        sft: ref('sft', 5),
        sftEval: ref('sft-eval', 1),
        theorems: ref('theorems', 3),
      };
      return {
        ...data,
        counts: {
          libraryProofs: 3,
          searchedProofs: 1,
          conjecturerExamples: 1,
          excludedForHeldOut: 0,
          trainExcludedForHeldOut: 0,
        },
      };
    },
    async saveState(_run, state) {
      call('saveState', state.nextRound - 1);
    },
    async takeOver(_run, start) {
      call('takeOver', start.fromRound ?? '');
      const sft = { checkpoint: checkpoint('taken-sft'), steps: 1, loss: 1, tokens: 1, seconds: 1 };
      return { sft, state: null };
    },
    async provisionNodes() {
      call('provisionNodes');
      return [{ name: 'test', taskQueue: HOST_QUEUE, cpuCores: 2, memoryBytes: 1 }];
    },
    async checkNodes() {
      call('checkNodes');
    },
    requestNodes: requestNodesActivity(machines).requestNodes,
    nodesState: nodesStateActivity(machines).nodesState,
    async watchNodes(input) {
      call('watchNodes', input.generation);
      return fakes.watch(input);
    },
    async releaseCloudNodes() {
      call('releaseCloudNodes');
      return { left: [] };
    },
    async releaseClosedRuns() {
      call('releaseClosedRuns');
      return [];
    },
    async releaseNodes() {
      call('releaseNodes');
    },
    async dropCheckpoints() {
      call('dropCheckpoints');
      return { checkpoints: [], bytes: 0 };
    },
    async findHosts() {
      call('findHosts');
      return { hostQueues: [HOST_QUEUE], openRuns: [] };
    },
    async countWorkers() {
      return 1;
    },
    async sweepNode(openRuns) {
      call('sweepNode', openRuns.join());
      return { node: 'test', processesEnded: 1, memoryBytesFreed: 1, cpuSecondsUsed: 1, scratchBytesFreed: 0 };
    },
    prepareLevanter: () => Promise.reject(new Error('no Levanter trains in these tests')),
    trainByLevanter: () => Promise.reject(new Error('no Levanter trains in these tests')),
    finishLevanter: () => Promise.reject(new Error('no Levanter trains in these tests')),
    meetToTrain: () => Promise.reject(new Error('no Levanter trains in these tests')),
    trainPart: () => Promise.reject(new Error('no Levanter trains in these tests')),
    dropTrainingStates: () => Promise.reject(new Error('no Levanter trains in these tests')),
    runOnNode: () => Promise.reject(new Error('no command is run in these tests')),
    async copyCheckpoint({ checkpoint: { model } }) {
      call('copyCheckpoint', model);
      return { node: 'test', directory: `/test/${model}`, bytes: 1 };
    },
    async cleanUpNode(_run, why) {
      call('cleanUpNode', why);
      return { node: 'test', processesEnded: 0, memoryBytesFreed: 0, cpuSecondsUsed: 0, scratchBytesFreed: 0 };
    },
    async trainModel(input) {
      call('trainModel', `${input.name} from ${input.init?.model ?? 'nothing'}`);
      return { checkpoint: checkpoint(input.name.replaceAll('/', '-')), steps: 1, loss: 1, tokens: 1, seconds: 1 };
    },
    async planConjectures(input) {
      call('planConjectures', `${input.round} replaying from ${input.replayFrom}`);
      return ref('plan', 8);
    },
    async exploreConjectures() {
      call('exploreConjectures');
      return ref('texts', 8);
    },
    async giveGrammars() {
      call('giveGrammars');
      return { plan: ref('typed-plan', 8), explored: null };
    },
    async testConjectures() {
      call('testConjectures');
      return ref('texts', 8);
    },
    async sampleConjectures() {
      call('sampleConjectures');
      return ref('texts', 8);
    },
    async sampleConjectureShare({ share, of }) {
      call('sampleConjectureShare', `${share} of ${of}`);
      return 1;
    },
    async readConjectures(input) {
      call('readConjectures', input.round);
      const parts = Array.from({ length: gateParts }, (_, index) => ref(`read-${index}`, 3));
      return { parts, made: 8, attemptsMax: 4, counts: { duplicate: 2 } };
    },
    async gateConjectures(input) {
      call('gateConjectures', input.name.slice(input.name.lastIndexOf('/') + 1));
      return { standing: ref('standing', 2), counts: { trivial: 1 }, costs: [] };
    },
    async admitConjectures(input) {
      const asked = input.gated.filter((part) => part !== null).length;
      call('admitConjectures', `${asked} of ${input.read.parts.length} parts`);
      return { conjectures: ref('conjectures', 4), made: 8, counts: { accepted: 4, duplicate: 4 } };
    },
    async growLibrary(input) {
      call('growLibrary', input.own === undefined ? input.round : `${input.round} by its own conjectures`);
      return ref('library', 3);
    },
    async planShards(input) {
      call('planShards', input.statements === false ? `${input.round} conjectures` : input.round);
      return { shards: Array.from({ length: shards }, (_, index) => ref(`items-${index}`, 5)) };
    },
    async sampleShard(input) {
      call('sampleShard', input.name);
      const context = Context.current();
      const beating = setInterval(() => context.heartbeat(), GATE_HEARTBEAT_MS);
      await fakes.gate;
      clearInterval(beating);
      return { samples: ref('samples', 20), sampleCount: 20, distinctCount: 10, tokens: 50 };
    },
    async searchShard(input) {
      call('searchShard', `${input.name} after ${input.earlier?.sampleCount ?? 0}`);
      const figures = { ...NO_SEARCH, searches: 5 };
      const search = { expansions: ref('expansions', 9), figures };
      const { sampleCount, distinctCount, tokens } = input.earlier ?? { sampleCount: 0, distinctCount: 0, tokens: 0 };
      return {
        samples: ref('searched', distinctCount + 5),
        sampleCount: sampleCount + 5,
        distinctCount: distinctCount + 5,
        tokens: tokens + 30,
        search,
      };
    },
    async walkShard(input) {
      call('walkShard', input.name);
      return {
        samples: ref('walked', 10),
        walks: ref('walks', 10),
        ...{ sampleCount: 10, distinctCount: 10, tokens: 100, figures: { walksLeanMs: 50 } },
      };
    },
    async reviseShard(input) {
      call('reviseShard', `${input.name} turn ${input.turn} after ${input.earlier!.sampleCount}`);
      if (input.turn > 2) return null;
      const { sampleCount, distinctCount, tokens } = input.earlier!;
      return {
        samples: ref('revised', distinctCount + 3),
        sampleCount: sampleCount + 4,
        distinctCount: distinctCount + 3,
        tokens: tokens + 40,
        answers: ref('answers', 4),
        figures: { revisions: 4 },
      };
    },
    async scriptShard(input) {
      call('scriptShard', `${input.name} after ${input.earlier?.sampleCount ?? 0}`);
      if (input.name.includes('rounds/0')) return null;
      const { sampleCount, distinctCount, tokens } = input.earlier ?? { sampleCount: 0, distinctCount: 0, tokens: 0 };
      return {
        ...{ samples: ref('scripted', distinctCount + 2), sampleCount: sampleCount + 2 },
        ...{ distinctCount: distinctCount + 2, tokens },
      };
    },
    async rankActions(input) {
      call('rankActions', `${input.name.replace(/-.*/u, '')} after ${input.history.length}`);
      return input.history.length === 0 ? null : ref('ranking', 1);
    },
    async measurePortfolio(input) {
      call('measurePortfolio', input.data.train.count);
    },
    async verifyShard(input) {
      call('verifyShard', input.name);
      const { samples, sampleCount, distinctCount, tokens } = input.sampled;
      const verdictCounts = { proved: 2, rejected: 18 };
      return {
        items: input.items,
        samples,
        verdicts: ref('verdicts', 10),
        sampleCount,
        distinctCount,
        tokens,
        verdictCounts,
        provedStatements: 1,
        checkMs: 100,
      };
    },
    async collectRound(input) {
      call('collectRound', input.round);
      return { rates: ref('rates', 10), proved: ref('proved', 3), disagreements: 0 };
    },
    async joinPasses({ passes }) {
      call('joinPasses', passes.length);
      return { rates: ref('joined-rates', 20), proved: ref('joined', 6), disagreements: 0 };
    },
    async chooseConjectures(input) {
      call('chooseConjectures', input.round);
      return { chosen: ref('chosen', 2), targets: ref('targets', 8) };
    },
    async embedStatements(input) {
      call('embedStatements', input.name);
      return [ref('vectors', input.statements.count)];
    },
    async matchConjectures() {
      call('matchConjectures');
      return ref('matched', 1);
    },
    async judgeShard({ name, items, sampled }) {
      call('judgeShard', name);
      const { samples, sampleCount, distinctCount, tokens } = sampled;
      const counts = { sampleCount, distinctCount, tokens, verdictCounts: {}, provedStatements: 0, checkMs: 0 };
      return { items, samples, verdicts: ref(`${name}/no-verdicts.jsonl`, 0), ...counts };
    },
    async rewardRound(input) {
      call('rewardRound', input.shards.length);
      return ref('rewards', 12);
    },
    async finishRound(input) {
      call('finishRound', input.round);
      return {
        manifest: ref(`manifest-${input.round}`),
        counts: counts(input.round),
        examples: ref('examples', 4),
      };
    },
    async retrainSet(input) {
      call('retrainSet', input.round);
      return ref('retrain', 9);
    },
    async planEvaluation() {
      call('planEvaluation');
      return [ref('held-out-items', 4)];
    },
    async collectEvaluation(input) {
      call('collectEvaluation', input.name);
      const { samplesPerStatement, model } = input;
      return {
        proved: ref('held-out-proofs', 2),
        evaluation: {
          model,
          statements: 4,
          samplesPerStatement,
          proved: 2,
          unverified: 0,
          passAtK: [{ k: 1, mean: 0.5, lower: 0.25, upper: 0.75 }],
          ...(input.withScripts ? { provedByScripts: 1 } : {}),
        },
      };
    },
    async prepareEvaluation(_run, input) {
      call('prepareEvaluation', input.modelName);
      return {
        config: resolveConfig({ preset: 'smoke' }),
        checkpoint: checkpoint('evaluated'),
        statements: ref('statements', 10),
        shards: Array.from({ length: shards }, (_, index) => ref(`items-${index}`, 5)),
        library: null,
      };
    },
    async writeEvaluation(input) {
      call('writeEvaluation', input.proved.count);
      return { evaluation: ref('evaluation'), log: ref('log') };
    },
    async writeProofs({ state }) {
      call('writeProofs', state.outcomes.length);
    },
    async writeReport(input) {
      call('writeReport', input.state.outcomes.length);
      return { summary: ref('summary'), report: ref('report'), proofs: ref('proofs') };
    },
  };
  return Object.assign(fakes, { activities, calls, broken });
}
