/** The proxy's own code actions: which ones are offered at a cursor, and what they do. */
import { randomBytes } from 'node:crypto';
import { type Diagnostic, type Document, type Documents, errorsOf, type Json } from './documents.ts';
import { type EditTarget, editTarget, type Position } from './edit-target.ts';
import type { ServedAnswer, SuggesterProcess } from './suggester-process.ts';
import type { Id, Wire } from './wire.ts';

export const COMMANDS = 'stp.suggest.';
/** VS Code runs one server per project, and refuses commands of a second server with the same names. */
const OF_THIS_PROXY = randomBytes(4).toString('hex');
const STEP = `${COMMANDS}step.${OF_THIS_PROXY}`;
const SEARCH = `${COMMANDS}search.${OF_THIS_PROXY}`;
const EXPLAIN = `${COMMANDS}explain.${OF_THIS_PROXY}`;
/** Titles of the actions, by this proxy's commands. */
export const TITLES: Readonly<Record<string, string>> = {
  [STEP]: 'Suggest next step',
  [SEARCH]: 'Search for a proof',
  [EXPLAIN]: 'Explain why it fails',
};
/** Kind of the actions. Editors may request other kinds only. */
export const KIND = 'quickfix';
/** Maximum wait for the goal at a cursor before actions are offered without it, ms. */
const GOAL_WAIT_MS = 1_000;
/** Time for checking one step, s: a person watches the progress, and can cancel it. */
const ANSWER_SECONDS = 10;
const INFORMATION = 3;
const WARNING = 2;
const INTERNAL_ERROR = -32603;
const REQUEST_CANCELLED = -32800;

/** The position for which an action was requested. */
export interface ActionPosition {
  readonly uri: string;
  readonly position: Position;
}

export interface ActionsOptions {
  readonly suggester: Pick<SuggesterProcess, 'ask'>;
  readonly searchSeconds: number;
  readonly onError: (error: unknown) => void;
}

/** Capabilities of the editor. */
export interface EditorFacts {
  readonly canShowProgress: boolean;
  readonly canEditVersions: boolean;
}

export class Actions {
  editor: EditorFacts = { canShowProgress: false, canEditVersions: false };
  readonly #wire: Wire;
  readonly #documents: Documents;
  readonly #options: ActionsOptions;
  /** Running commands, by the editor's request and by their progress token. */
  readonly #running = new Map<Id, AbortController>();
  readonly #tokens = new Map<Id, AbortController>();

  constructor(wire: Wire, documents: Documents, options: ActionsOptions) {
    this.#wire = wire;
    this.#documents = documents;
    this.#options = options;
  }

  /** Returns the actions at a position; null if there is nothing to act on. */
  async at(asked: ActionPosition): Promise<readonly object[] | null> {
    const document = this.#documents.get(asked.uri);
    const errors = document === null ? [] : errorsOf(document, asked.position.line);
    const target = document === null ? null : editTarget(document.text, asked.position, errors.length > 0);
    // The position at which the tactic will begin: after a hole no goal remains.
    const goals = await this.#goalsAt(
      { uri: asked.uri, position: target?.range.start ?? asked.position },
      GOAL_WAIT_MS,
    );
    const offered = [
      ...(goals === null || goals.length > 0 ? [STEP, SEARCH] : []),
      ...(errors.length > 0 || goals?.length ? [EXPLAIN] : []),
    ];
    if (document === null || (goals === null && errors.length === 0) || offered.length === 0) return null;
    return offered.map((command) => ({
      title: TITLES[command],
      kind: KIND,
      command: { title: TITLES[command], command, arguments: [asked] },
    }));
  }

  /** Cancels the command of a request (`$/cancelRequest`) or of a progress token. Returns false if it is not ours. */
  cancel(method: string, params: Json): boolean {
    const cancelled =
      method === '$/cancelRequest'
        ? this.#running.get(params?.id)
        : method === 'window/workDoneProgress/cancel'
          ? this.#tokens.get(params?.token)
          : undefined;
    cancelled?.abort(new Error('cancelled'));
    return cancelled !== undefined;
  }

  /** Runs a command and answers its request. Never rejects. */
  async execute(id: Id, command: string, asked: ActionPosition | undefined, given: Id | undefined): Promise<void> {
    const cancel = new AbortController();
    this.#running.set(id, cancel);
    const progress = await this.#beginProgress(TITLES[command]!, given, cancel);
    try {
      const document = this.#documents.get(asked?.uri ?? '');
      if (document === null) throw new Error('the document is not open');
      if (command === EXPLAIN) await this.#explain(asked!, document);
      else await this.#suggest(asked!, document, command === SEARCH, cancel.signal, progress.say);
      this.#wire.toEditor({ id, result: null });
    } catch (error) {
      const isCancelled = cancel.signal.aborted;
      if (!isCancelled) {
        this.#options.onError(error);
        this.#wire.show(WARNING, (error as Error).message);
      }
      const code = isCancelled ? REQUEST_CANCELLED : INTERNAL_ERROR;
      this.#wire.toEditor({ id, error: { code, message: (error as Error).message } });
    } finally {
      this.#running.delete(id);
      progress.end();
    }
  }

  async #goalsAt({ uri, position }: ActionPosition, waitMs?: number): Promise<readonly string[] | null> {
    const params = { textDocument: { uri }, position };
    return (await this.#wire.ask(this.#wire.server, '$/lean/plainGoal', params, waitMs))?.goals ?? null;
  }

  async #suggest(
    asked: ActionPosition,
    document: Document,
    isSearch: boolean,
    signal: AbortSignal,
    say: (text: string) => void,
  ): Promise<void> {
    const { version, text } = document;
    const target = editTarget(text, asked.position, errorsOf(document, asked.position.line).length > 0);
    const question = {
      context: target.context,
      prefix: target.prefix,
      search_seconds: isSearch ? this.#options.searchSeconds : 0,
      answer_seconds: ANSWER_SECONDS,
    };
    const answer = await this.#options.suggester.ask(question, signal, (kind, data) => {
      if (kind === 'suggestion') say(`${data.class}: ${data.text.split('\n')[0]}`);
      if (kind === 'search') say(`${data.expansions} states`);
    });
    signal.throwIfAborted();
    const best = answer.suggestions.find((one) => one.class === 'done' || (!isSearch && one.class === 'valid'));
    if (best === undefined) return this.#wire.show(INFORMATION, nothingFound(answer, isSearch));
    if (this.#documents.get(asked.uri)?.version !== version)
      return this.#wire.show(INFORMATION, 'The text has changed meanwhile; ask again.');
    await this.#applyEdit({ uri: asked.uri, version }, target, best.text);
    const left = best.remaining === 0 ? 'closes the goal' : `${best.remaining} goals left`;
    say(`${best.text.split('\n')[0]} (${best.source}, ${left})`);
  }

  /** With versions, an editor refuses the edit if the text has changed and this proxy does not know it yet. */
  async #applyEdit(
    textDocument: { readonly uri: string; readonly version: number },
    target: EditTarget,
    tactic: string,
  ): Promise<void> {
    const edits = [{ range: target.range, newText: target.newText(tactic) }];
    const edit = this.editor.canEditVersions
      ? { documentChanges: [{ textDocument, edits }] }
      : { changes: { [textDocument.uri]: edits } };
    const params = { label: 'Suggestion', edit };
    const result = await this.#wire.ask(this.#wire.editor, 'workspace/applyEdit', params);
    if (result?.applied !== true) this.#wire.show(WARNING, 'The editor did not take the suggestion.');
  }

  async #explain(asked: ActionPosition, document: Document): Promise<void> {
    const goals = (await this.#goalsAt(asked)) ?? [];
    const errors = errorsOf(document, asked.position.line).map(({ message }: Diagnostic) => message);
    const parts = [...errors, goals.length === 0 ? 'No goal is left here.' : `Goal:\n${goals.join('\n\n')}`];
    this.#wire.show(INFORMATION, parts.join('\n\n'));
  }

  async #beginProgress(title: string, given: Id | undefined, cancel: AbortController) {
    const token = given ?? this.#wire.newId('progress-');
    const isShown = given !== undefined || this.editor.canShowProgress;
    if (isShown && given === undefined)
      await this.#wire.ask(this.#wire.editor, 'window/workDoneProgress/create', { token });
    this.#tokens.set(token, cancel);
    const tell = (value: object): void => {
      if (isShown) this.#wire.toEditor({ method: '$/progress', params: { token, value } });
    };
    tell({ kind: 'begin', title, cancellable: true });
    return {
      say: (message: string) => tell({ kind: 'report', message }),
      end: () => {
        this.#tokens.delete(token);
        tell({ kind: 'end' });
      },
    };
  }
}

function nothingFound({ suggestions, unchecked }: ServedAnswer, isSearch: boolean): string {
  if (unchecked !== null) return `Nothing can be suggested here: ${unchecked}`;
  if (isSearch) return 'No proof was found in this time.';
  return suggestions.length === 0 ? 'No tactic was found here.' : `None of ${suggestions.length} tactics works here.`;
}
