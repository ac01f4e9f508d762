/** `stp serve --model DIR`: a checkpoint behind an OpenAI-compatible HTTP server, until SIGTERM or Ctrl-C. */
import { tmpdir } from 'node:os';
import { StpError } from '@stp/base';
import { embeddedGenerator } from '@stp/language-model';
import { DEFAULT_LIMITS, ServedModel, startModelServer } from '@stp/language-model/serve';
import { isNamed } from '../infra/weights/weights.ts';
import { findModel } from './model-source.ts';
import { clientKeys, untilStopped } from './serving.ts';

/** Comma-separated keys of clients. */
const KEYS_VARIABLE = 'STP_SERVE_KEYS';

export interface ServeOptions {
  readonly model: string;
  readonly name?: string;
  readonly host: string;
  readonly port: number;
  readonly threads: number;
  readonly maxRequests: number;
  /** Seconds. */
  readonly timeout: number;
  /** False under `--no-key`: serve everyone. */
  readonly key: boolean;
}

/** The folder of weights in the cache has no name of its own. */
const nameOf = (model: string): string | undefined => (isNamed(model) ? model.replace(/#.*$/, '') : undefined);

export async function serve(options: ServeOptions): Promise<void> {
  const { host, port, threads } = options;
  const keys = clientKeys(KEYS_VARIABLE, options);
  const stopped = untilStopped();
  const { directory } = isNamed(options.model)
    ? await findModel(options.model, tmpdir())
    : { directory: options.model };
  const generator = await embeddedGenerator({ threads })(directory);
  try {
    const model = await ServedModel.open(generator, directory, options.name ?? nameOf(options.model));
    const server = await startModelServer({
      model,
      host,
      port,
      keys,
      limits: {
        ...DEFAULT_LIMITS,
        requestsInFlight: options.maxRequests,
        requestTimeoutMs: 1_000 * options.timeout,
      },
      onError: (error) => console.error(error instanceof StpError ? error.toText() : error),
    });
    console.log(`serving ${model.names.join(', ')} on ${server.url}/v1`);
    console.log(keys.length === 0 ? 'no key is asked for' : `a key of ${KEYS_VARIABLE} is asked for`);
    await stopped;
    console.log('finishing what is under way');
    await server.close();
  } finally {
    await generator.close();
  }
}
