/** Entry of a training process: it runs one training, then its parent ends it. */
import { trainInProcess } from '../training/train.ts';
import { serve } from './serve.ts';
import type { TrainingMessage, TrainingRequest } from './training-messages.ts';

serve<TrainingRequest, TrainingMessage>(async ({ request, threads, keepStateMs }, post) => {
  const result = await trainInProcess(request, {
    threads,
    ...(keepStateMs !== undefined && { keepStateMs }),
    onProgress: (progress) => {
      // A message that cannot leave means the parent is gone, which ends this process anyway.
      void post({ type: 'progress', progress });
    },
    onKept: async (state) => void post({ type: 'kept', state }),
  });
  await post({ type: 'trained', result });
});
