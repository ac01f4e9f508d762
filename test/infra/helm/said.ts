/** The chart, and the values that a person who installs it must give. */
import { join } from 'node:path';
import { REPOSITORY } from '../docker/compose-file.ts';

export const CHART = join(REPOSITORY, 'infra/helm/stp');
const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
export const SAID = {
  image: {
    worker: { repository: 'registry.example/stp', digest: digest('a') },
    gpu: { repository: 'registry.example/stp-gpu', digest: digest('b') },
    lean: { repository: 'registry.example/stp-lean', digest: digest('c') },
  },
  temporal: { address: 'temporal-frontend.temporal:7233', apiKeySecret: 'temporal-key' },
  store: { uri: 'gs://bucket/runs' },
  host: { replicas: 3 },
  lean: { credentialsSecret: 'lean-account' },
  leanService: { keysSecret: 'lean-keys' },
  networkPolicy: { temporalCidrs: ['10.0.0.0/16'] },
};
