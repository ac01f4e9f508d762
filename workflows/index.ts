/** The only file that is bundled: exports every workflow under its type name. */
export { stpCleanNodes as 'stp-clean-nodes' } from './clean-nodes.ts';
export { stpEvaluate as 'stp-evaluate' } from './evaluation.ts';
export { stpJanitor as 'stp-janitor' } from './janitor.ts';
export { stpEveryNode as 'stp-every-node' } from './nodes/every-node.ts';
export { stpRound as 'stp-round' } from './round.ts';
export { stpSelfplay as 'stp-selfplay' } from './selfplay.ts';
