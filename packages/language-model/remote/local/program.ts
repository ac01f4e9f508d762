/** A program that serves one checkpoint over OpenAI's API, as a process of this machine. Its servers listen on this machine only and ask for no key. */

/** `complete`: samples. `embed`: vectors of texts, the mean over their tokens, as the `Generator` port has them. */
export type ServerTask = 'complete' | 'embed';

export const SERVER_HOST = '127.0.0.1';

export interface ServedCheckpoint {
  readonly directory: string;
  /** The name requests use: the hash of the weights, so that a server of another model is noticed. */
  readonly model: string;
  /** Where the folder holds an adapter: the whole model that it belongs to, and the adapter's rank. */
  readonly adapterOf?: { readonly base: string; readonly rank: number } | undefined;
}

export interface ServerProgram {
  readonly kind: string;
  /** As messages call one that runs. */
  readonly name: string;
  readonly engine: {
    readonly port: number;
    readonly requestsInFlight: number;
    readonly startTimeoutSeconds: number;
  };
  /** Name of the model there; `{model}` stands for its hash. */
  readonly servedName: string;
  /** @param workDirectory an empty folder, which is removed when the server has ended */
  command(checkpoint: ServedCheckpoint, task: ServerTask, workDirectory: string): string[];
  /** Advice for a person when a server has ended. */
  readonly advice: string;
  readonly servesAdapters: boolean;
  readonly embeds: boolean;
  /** Does it end when its standard input does, and so with this process? */
  readonly endsWithInput: boolean;
  /** Does the first request fix temperature and top-p for as long as it runs? */
  readonly fixesSampling: boolean;
}
