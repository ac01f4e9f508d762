/** The machines that the options of `bin/stp nodes` select: a configuration's `nodes` section, changed by the flags. */

import { StpError } from '@stp/base';
import { type NodesConfig, resolveConfig } from '@stp/config';
import { providers } from '../../infra/cloud/open-provider.ts';
import type { RunProvider } from '../../infra/nodes/provider.ts';
import { runProvider } from '../../workers/run-provider.ts';
import { workerSettings } from '../../workers/settings.ts';
import { configSources } from '../shared/options.ts';

/** Placeholder for a missing project, in plans. */
export const PLACEHOLDER_PROJECT = 'your-project';

export interface NodesOptions {
  readonly run: string;
  readonly config?: string;
  readonly preset: string;
  readonly set?: Record<string, string>;
  readonly accelerator?: string;
  readonly machineType?: string;
  readonly inventory?: string;
  readonly project?: string;
  readonly zone?: string;
  readonly slices?: string;
  readonly count?: string;
  readonly spot?: boolean;
  readonly reserved?: string;
  readonly hoursMax?: string;
  readonly validUntil?: string;
  readonly json?: boolean;
}

export interface NamedNodes {
  readonly nodes: Exclude<NodesConfig, { provider: 'local' }>;
  readonly isPlaceholder: boolean;
}

/** @param mode with `plan` a missing project gets a placeholder */
export function namedNodes(options: NodesOptions, mode: 'plan' | 'send'): NamedNodes {
  const flags = flagValues(options);
  const { nodes, isPlaceholder } = resolved(options, flags, mode);
  if (nodes.provider === 'local')
    throw new StpError(
      'STP1002',
      'no machines are named',
      'Give --accelerator v4-8, --machine-type a2-highgpu-1g or --inventory hosts.json, or --config with a nodes section.',
    );
  return { nodes, isPlaceholder };
}

function resolved(
  options: NodesOptions,
  flags: Record<string, string>,
  mode: 'plan' | 'send',
): { nodes: NodesConfig; isPlaceholder: boolean } {
  const sources = configSources({
    preset: options.preset,
    ...(options.config === undefined ? {} : { config: options.config }),
    set: { ...flags, ...options.set },
  });
  try {
    return { nodes: resolveConfig(sources).nodes, isPlaceholder: false };
  } catch (error) {
    const isUnnamed = error instanceof StpError && /nodes\.project: Invalid input/.test(error.message);
    if (!isUnnamed) throw error;
    if (mode === 'send')
      throw new StpError('STP1001', 'no project is named', 'Give --project, or nodes.project in the configuration.');
    const set = { 'nodes.project': PLACEHOLDER_PROJECT, ...sources.set };
    return { nodes: resolveConfig({ ...sources, set }).nodes, isPlaceholder: true };
  }
}

/** Returns the flags as values of the configuration. The kind of machine determines the provider. */
function flagValues(options: NodesOptions): Record<string, string> {
  const { accelerator, machineType, inventory, spot, reserved } = options;
  const kinds = [
    ['tpu', accelerator],
    ['gpu', machineType],
    ['inventory', inventory],
  ].filter(([, value]) => value !== undefined);
  if (kinds.length > 1)
    throw new StpError(
      'STP1002',
      'several kinds of machines are named',
      'Give one of --accelerator, --machine-type, --inventory.',
    );
  if (spot === true && reserved !== undefined)
    throw new StpError('STP1002', '--spot and --reserved exclude each other', 'Give one of them.');
  const values: Record<string, string | undefined> = {
    'nodes.provider': kinds[0]?.[0],
    'nodes.accelerator': accelerator,
    'nodes.machineType': machineType,
    'nodes.file': inventory,
    'nodes.project': options.project,
    'nodes.zone': options.zone,
    'nodes.slices': options.slices,
    'nodes.count': options.count,
    'nodes.tier': spot === true ? 'spot' : reserved !== undefined ? 'reserved' : undefined,
    'nodes.reservation': reserved,
    'nodes.hoursMax': options.hoursMax,
    'nodes.validUntilMinutes': options.validUntil,
  };
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Opens the provider of these machines for a run. */
export function openRunProvider(nodes: NodesConfig, run: string, mode: 'plan' | 'send'): RunProvider {
  return runProvider(providers(), nodes, { run, storeUri: workerSettings().storeUri }, mode);
}
