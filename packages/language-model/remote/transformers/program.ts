/**
 * `transformers serve` with continuous batching, in the Python environment of the PyTorch trainer. The script beside
 * this file starts it, because an unmodified server lists no folder, decodes greedily and drops special tokens.
 */
import { join } from 'node:path';
import { MODEL_PLACEHOLDER, type TrainerEngine, type TransformersEngine } from '@stp/config';
import type { ServerProgram } from '../local/program.ts';

const SCRIPT = join(import.meta.dirname, 'serve_checkpoint.py');
/** The script needs a name in the hub's form. */
const SERVED_NAME = `stp/${MODEL_PLACEHOLDER}`;
const OWN = { python: 'python3', device: 'cuda' } as const;

/** @param trainer the run's trainer: its Python and its device are used if the engine names none */
export function transformersProgram(engine: TransformersEngine, trainer: TrainerEngine): ServerProgram {
  const { python, device } = trainer.kind === 'pytorch' ? trainer : OWN;
  const { contextLength } = engine;
  return {
    kind: 'transformers',
    name: 'transformers serve',
    engine,
    servedName: SERVED_NAME,
    command: ({ directory, model }, _, workDirectory) => [
      ...[
        engine.python ?? python,
        SCRIPT,
        '--directory',
        directory,
        '--name',
        SERVED_NAME.replace(MODEL_PLACEHOLDER, model),
      ],
      ...['--work', workDirectory],
      ...['--port', `${engine.port}`, '--device', engine.device ?? device, '--precision', engine.precision],
      ...['--requests', `${engine.requestsInFlight}`, '--memory-share', `${engine.memoryShare}`],
      ...(contextLength === null ? [] : ['--context', `${contextLength}`]),
    ],
    advice:
      'Look into its log. Where memory ran out, lower memoryShare, contextLength or requestsInFlight of engines.generator.',
    servesAdapters: false,
    embeds: false,
    endsWithInput: true,
    fixesSampling: true,
  };
}
