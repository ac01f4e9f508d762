/** Suggests checked next steps for a goal: engines, HTTP contracts, the language-server proxy. */
export { AnswerCache } from './cache.ts';
export type { PromptKind } from './defaults.ts';
export { encoderDecoderEngine } from './engines/encoder-decoder-engine.ts';
export type { Engine } from './engines/engine.ts';
export { modelEngine } from './engines/model-engine.ts';
export { portfolioEngine } from './engines/portfolio-engine.ts';
export { startSuggestServer } from './http/server.ts';
export { type LeanPositions, openLeanPositions } from './lean-positions.ts';
export { type EditTarget, editTarget } from './lsp/edit-target.ts';
export { startProxy } from './lsp/proxy.ts';
export { SuggesterProcess, type SuggesterSource } from './lsp/suggester-process.ts';
export { ownName } from './own-words.ts';
export { Premises } from './premises.ts';
export { Suggester } from './suggester.ts';
export { goalsAtPosition, type PositionGoals, tryTactics } from './try-tactics.ts';
export { untilAborted } from './until-aborted.ts';
