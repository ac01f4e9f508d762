/** A process that trains, to be killed by `resume.process.test.ts`: request (JSON) as argument, a line for every step, then one for the end. */
import { embeddedTrainer } from '../embedded/engine.ts';
import type { TrainRequest } from '../trainer.ts';

const request: TrainRequest = JSON.parse(process.argv[2]!);
const trainer = embeddedTrainer({ threads: 1, keepStateMs: 50 });
trainer.train(request, { onProgress: ({ step }) => console.log(`step ${step}`) }).then(
  () => console.log('trained'),
  (error: Error) => {
    console.log(`failed ${error.message}`);
    process.exitCode = 1;
  },
);
