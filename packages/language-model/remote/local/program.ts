/**
 * A program that serves one checkpoint over OpenAI's API, as a local process. It listens on localhost only and needs
 * no key.
 */

/** `complete`: samples. `embed`: mean vectors of texts, as in the `Generator` port. */
export type ServerTask = 'complete' | 'embed';

export const SERVER_HOST = '127.0.0.1';

export interface ServedCheckpoint {
  readonly directory: string;
  /** The model's name in requests: the hash of the weights, so that a server of another model is noticed. */
  readonly model: string;
  /** For an adapter: the whole model that it belongs to, and its rank. */
  readonly adapterOf?: { readonly base: string; readonly rank: number } | undefined;
}

export interface ServerProgram {
  readonly kind: string;
  /** Name of the program in messages. */
  readonly name: string;
  readonly engine: {
    readonly port: number;
    readonly requestsInFlight: number;
    readonly startTimeoutSeconds: number;
  };
  /** The server's name for the model; `{model}` stands for its hash. */
  readonly servedName: string;
  /** @param workDirectory an empty folder, which is removed when the server has ended */
  command(checkpoint: ServedCheckpoint, task: ServerTask, workDirectory: string): string[];
  /** Advice for the operator when a server has ended. */
  readonly advice: string;
  readonly servesAdapters: boolean;
  readonly embeds: boolean;
  /** Whether the server exits when its standard input closes, and so with this process. */
  readonly endsWithInput: boolean;
  /** Whether the first request fixes temperature and top-p for the server's lifetime. */
  readonly fixesSampling: boolean;
}
