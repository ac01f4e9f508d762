/** Entry of a training process. It runs one training; then its parent ends it. */
import { trainInProcess } from '../training/train.ts';
import { serve } from './serve.ts';
import type { TrainingMessage, TrainingRequest } from './training-messages.ts';

serve<TrainingRequest, TrainingMessage>(async ({ request, threads, keepStateMs }, post) => {
  const result = await trainInProcess(request, {
    threads,
    ...(keepStateMs !== undefined && { keepStateMs }),
    onProgress: (progress) => {
      // If the message cannot be sent, the parent is gone, and this process exits anyway.
      void post({ type: 'progress', progress });
    },
    onKept: async (state) => void post({ type: 'kept', state }),
  });
  await post({ type: 'trained', result });
});
