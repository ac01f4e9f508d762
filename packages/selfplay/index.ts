/** The self-play algorithm as pure functions. */
export { type ChosenConjecture, type ConjectureFacts, chooseConjectures } from './conjecturer-set.ts';
export { dedupeSamples, heldOutKeysOf, keyUnderAnyHeader, type RawSample, statementKey } from './dedupe.ts';
export { type Combination, combined } from './ensemble/combine.ts';
export {
  areaUnderCurve,
  bestOf,
  calibrationError,
  disagreement,
  groupedArea,
  type ScoredCandidate,
} from './ensemble/measure.ts';
export { pairsOf, type TriedPrompt } from './ensemble/pairs.ts';
export { searchTries } from './ensemble/search-tries.ts';
export { refusal } from './evaluation-rules.ts';
export { endReward, flowGroup, type RewardedWalk, STOP_TACTIC } from './flows/flow-group.ts';
export { ReplayBuffer } from './flows/replay-buffer.ts';
export type { Answer } from './formats/answer.ts';
export { afterThinking } from './formats/code-blocks.ts';
export { asPrompt, type ConjecturerForm, conjecturerForm, formattedForm, type Prompt } from './formats/formatted.ts';
export { revisionPrompt } from './formats/revision.ts';
export { type GateCandidate, gateQuestions, TRIVIAL_PROOF } from './gate.ts';
export { matchingWeight } from './matching-weight.ts';
export { blockEstimate, budgetsFor, passAtK, type ShortBlock, stpBudgets } from './pass-at-k.ts';
export {
  type ConjectureOrigin,
  conjecturerExample,
  displayProof,
  displayStatement,
  proverExample,
  proverPrompt,
  targetExample,
} from './prompts.ts';
export {
  joinsRetraining,
  type ProofExamples,
  proofKey,
  proverExamples,
  retrainExamples,
  trainsProver,
} from './prover-set.ts';
export { orderKey, type Random, randomStream, seedFrom } from './random.ts';
export { ActionBudget } from './ranking/action-order.ts';
export {
  type ActionFeatures,
  ActionRanker,
  actionFeatures,
  fixedPrior,
  hashedTokens,
  type Try,
} from './ranking/action-ranker.ts';
export { type Beside, besideOf, type ConjectureFeatures, conjectureFeatures } from './ranking/conjecture-features.ts';
export { type RankerExample, rankerScore, trainRanker } from './ranking/conjecture-ranker.ts';
export { premiseParts, statedTerms } from './ranking/premise-fit.ts';
export { imageFunction, type Push, pushOf } from './ranking/pushes.ts';
export { type RewriteRule, rewriteRuleOf } from './ranking/rewrite-rules.ts';
export { statementForm } from './ranking/statement-form.ts';
export { type Transfer, transfersOf } from './ranking/transfers.ts';
export { countRates, type JudgedSamples, keepBest, passRate, RateTable } from './rates.ts';
export { type Accessible, type Premise, PremiseCorpus } from './retrieval/premise-corpus.ts';
export { type PremiseQuery, RetrievalScores, type Retriever } from './retrieval/retriever.ts';
export { TermRetriever, type TermScoring, type TermTable, TermTableBuilder, termsOf } from './retrieval/term-index.ts';
export { queryText, VectorRetriever } from './retrieval/vector-retriever.ts';
export { advantages } from './rewards/advantages.ts';
export { leanReward } from './rewards/lean-reward.ts';
export { mixedReward } from './rewards/mixed-reward.ts';
export type { RewardGroup, RewardOptions, RewardSource } from './rewards/reward.ts';
export { SampleOutcomes } from './sample-outcomes.ts';
export { type Expansion, type Proposal, type SearchOutcome, searchProof } from './search/best-first.ts';
export { conjectureInputs, conjecturesMax, isAttempted, repeatInputs, SeedProofs } from './seeds.ts';
export { dedupeExamples, exampleKey, optimiserSteps } from './select.ts';
export { type WorkItem, workItemSchema } from './shards.ts';
export { innerProduct, norm } from './similarity.ts';
export { lemmasWithin } from './slots/lemma-text.ts';
export {
  formExamples,
  type LemmaOffer,
  NO_LEMMAS,
  type ProverForm,
  type ProverForms,
  plainForm,
  type Stated,
  slottedForm,
} from './slots/prover-form.ts';
export { slotKey, theoremKey } from './slots/slot-key.ts';
export { boundNames, PROPOSITION } from './slots/slot-table.ts';
export { goalStatement, plainStateForm, type StateForm, slottedStateForm } from './slots/state-form.ts';
export { readSignature } from './statement-signature.ts';
export { statementSymbols } from './statement-symbols.ts';
export { NEIGHBOUR_DISTANCE_MAX, targetPairs } from './targets.ts';
export { matchingCount, Transport } from './transport.ts';
export { namedTypedForm, type TypedForm, typedForm } from './typed-form.ts';
export { namesUnknown } from './unknown-names.ts';
export { useCredit } from './use-credit.ts';
