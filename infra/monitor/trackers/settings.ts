/**
 * This machine's settings of trackers, from the environment. Keys are read when they are used and are in no setting.
 */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StpError } from '@stp/base';
import type { TrackerName } from '@stp/config';
import { type MlflowSettings, mlflowTracker } from './mlflow.ts';
import { type TensorboardSettings, tensorboardTracker } from './tensorboard.ts';
import type { TrackedRun, Tracker } from './tracker.ts';
import { type WandbSettings, wandbTracker } from './wandb.ts';

export interface TrackerSettings {
  /** Null without MLFLOW_TRACKING_URI. */
  readonly mlflow: MlflowSettings | null;
  /** `directory` is null without STP_TENSORBOARD_DIR; files then go into the run's folder, if its store is a folder. */
  readonly tensorboard: { readonly directory: string | null; readonly url: string | null };
  readonly wandb: WandbSettings;
}

/** Throws STP1001 for an invalid address. */
export function trackerSettings(environment: NodeJS.ProcessEnv, cacheDirectory: string): TrackerSettings {
  const { MLFLOW_TRACKING_URI, MLFLOW_EXPERIMENT_NAME, STP_TENSORBOARD_DIR, STP_TENSORBOARD_URL } = environment;
  return {
    mlflow: MLFLOW_TRACKING_URI
      ? {
          url: address('MLFLOW_TRACKING_URI', MLFLOW_TRACKING_URI),
          experiment: MLFLOW_EXPERIMENT_NAME ?? 'stp-selfplay',
        }
      : null,
    tensorboard: {
      directory: STP_TENSORBOARD_DIR ? resolve(STP_TENSORBOARD_DIR) : null,
      url: STP_TENSORBOARD_URL ? address('STP_TENSORBOARD_URL', STP_TENSORBOARD_URL) : null,
    },
    wandb: {
      python: environment.STP_WANDB_PYTHON ?? 'python3',
      directory: resolve(environment.WANDB_DIR ?? join(cacheDirectory, 'wandb')),
    },
  };
}

function address(variable: string, text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new StpError('STP1001', `${variable} is no address of a server`, 'Write it as http://host:5000.');
  if (url.username !== '' || url.password !== '')
    throw new StpError(
      'STP1001',
      `${variable} holds a password`,
      'Put it into MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN.',
    );
  return text.replace(/\/+$/, '');
}

/** Throws STP1001 for a tracker that a run of this store names and this machine has no settings for. */
export function requireTrackers(names: readonly TrackerName[], settings: TrackerSettings, storeUri: string): void {
  if (names.includes('mlflow') && settings.mlflow === null)
    throw new StpError(
      'STP1001',
      'tracking asks for mlflow, and no server is known',
      'Set MLFLOW_TRACKING_URI for all workers, such as http://host:5000.',
    );
  if (names.includes('tensorboard') && settings.tensorboard.directory === null && !storeUri.startsWith('file://'))
    throw new StpError(
      'STP1001',
      `tracking asks for tensorboard, whose files cannot grow in ${storeUri}`,
      'Set STP_TENSORBOARD_DIR for all workers, to a folder that TensorBoard reads.',
    );
}

/** @param say reports what a tracker refuses */
export function openTracker(
  name: TrackerName,
  run: TrackedRun,
  settings: TrackerSettings,
  say: (line: string) => void,
): Tracker {
  requireTrackers([name], settings, run.store.root);
  switch (name) {
    case 'mlflow':
      return mlflowTracker(run, settings.mlflow!, say);
    case 'tensorboard':
      return tensorboardTracker(run, tensorboardOf(run, settings));
    case 'wandb':
      return wandbTracker(run, settings.wandb);
  }
}

function tensorboardOf(run: TrackedRun, { tensorboard }: TrackerSettings): TensorboardSettings {
  const { directory, url } = tensorboard;
  if (directory !== null) return { directory: join(directory, run.run), url };
  return { directory: join(fileURLToPath(run.store.root), 'tensorboard'), url };
}
