/** `stp nodes plan`: shows the requests for machines and their cost. Sends nothing and needs no credentials. */
import type { NodesConfig } from '@stp/config';
import type { NodesPlan } from '../../infra/nodes/provider.ts';
import { missingForStartUp } from '../../infra/nodes/start-up.ts';
import { workerSettings } from '../../workers/settings.ts';
import { temporalAddress } from '../../workers/temporal-address.ts';
import { type NodesOptions, namedNodes, openRunProvider } from './config.ts';

export interface Plan extends NodesPlan {
  readonly run: string;
  /** USD until the cost guard stops the run; null if the price is unknown or nothing is bought. */
  readonly costMax: number | null;
  /** Values that must be given before the requests can go out. */
  readonly missing: readonly string[];
}

export function makePlan(options: NodesOptions): Plan {
  const { nodes, isPlaceholder } = namedNodes(options, 'plan');
  const { provider, name } = openRunProvider(nodes, options.run, 'plan');
  const plan = provider.plan({ run: name, generation: 1 });
  const { perHour } = plan.price;
  return {
    run: options.run,
    ...plan,
    costMax: perHour === null || !('hoursMax' in nodes) ? null : Math.round(perHour * nodes.hoursMax * 100) / 100,
    missing: missing(nodes, options.run, isPlaceholder),
  };
}

function missing(nodes: NodesConfig, run: string, isPlaceholder: boolean): string[] {
  const project = isPlaceholder
    ? ['the project: --project or nodes.project (a placeholder stands in the requests)']
    : [];
  if (nodes.provider !== 'tpu' && nodes.provider !== 'gpu') return project;
  const addresses = { run, storeUri: workerSettings().storeUri, temporalAddress: temporalAddress() };
  return [...project, ...missingForStartUp(nodes, addresses)];
}

export function plan(options: NodesOptions & { readonly dryRun?: boolean }): void {
  const made = makePlan(options);
  if (options.json === true || options.dryRun === true) {
    console.log(JSON.stringify(made, null, 2));
    return;
  }
  console.log(planText(made));
}

export function planText({ run, requests, hosts, accelerators, price, costMax, notes, missing: open }: Plan): string {
  const lines = [
    `machines of run ${run}: ${hosts} host${hosts === 1 ? '' : 's'}${accelerators === 0 ? '' : `, ${accelerators} chips or GPUs`}`,
    price.perHour === null
      ? `price: ${price.basis}`
      : `price: ${price.perHour.toFixed(2)} USD an hour (${price.basis})`,
    ...(costMax === null ? [] : [`at most ${costMax.toFixed(2)} USD until the cost guard (nodes.hoursMax)`]),
    ...requests.map(({ method, url }) => `${method} ${url}`),
    ...notes.map((note) => `- ${note}`),
    ...open.map((what) => `still missing: ${what}`),
  ];
  return lines.join('\n');
}
