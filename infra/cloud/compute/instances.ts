/**
 * GPU instances of a set: requested by name, so that a second request adds the missing ones and duplicates none.
 */
import { StpError } from '@stp/base';
import type { GpuConfig } from '@stp/config';
import { hostQueue, nodeName, runLabel } from '../../nodes/names.ts';
import type { NodeHost, NodeSet, NodesState, RequestResult } from '../../nodes/provider.ts';
import { cloudError, codeOf, isAlreadyThere, shortageOf } from '../errors.ts';
import { requestId } from '../request-id.ts';
import type { ComputeApi, Instance, OperationEnd, OperationError } from './api.ts';
import { instanceBody, instanceNames } from './requests.ts';

const COMING: ReadonlySet<string> = new Set(['PENDING', 'PROVISIONING', 'STAGING', 'REPAIRING']);

type Metadata = Readonly<Record<string, string>>;

export async function requestInstances(
  config: GpuConfig,
  api: ComputeApi,
  set: NodeSet,
  attempt: number,
  metadata: Metadata,
): Promise<RequestResult> {
  for (const name of instanceNames(config, set)) {
    const asked = await insertOnce(`ask for instance ${name}`, () =>
      api.insertInstance(config, instanceBody(config, set, name, metadata), requestId(name, attempt)),
    );
    if (asked.kind === 'no-capacity') return asked;
    const found = await api.getInstance(config, name);
    if (found !== null && (found.labels['stp-run'] ?? runLabel(set.run)) !== runLabel(set.run))
      throw new StpError(
        'STP1602',
        `instance ${name} exists already and belongs to ${found.labels['stp-run']}`,
        'Give the run another name, or delete that instance.',
        { facts: { name } },
      );
  }
  return { kind: 'accepted' };
}

/**
 * Inserts once. An existing instance counts as success, missing capacity is an answer, and any other failure is an
 * error.
 */
async function insertOnce(what: string, insert: () => Promise<OperationEnd>): Promise<RequestResult> {
  try {
    const { errors } = await insert();
    const reason = errors.map(textOf).join('; ');
    if (errors.length === 0 || errors.every(({ code }) => code === 'RESOURCE_ALREADY_EXISTS'))
      return { kind: 'accepted' };
    if (shortageOf(null, reason) === 'capacity') return { kind: 'no-capacity', reason };
    throw Object.assign(new Error(reason), { code: 9 });
  } catch (error) {
    if (isAlreadyThere(error)) return { kind: 'accepted' };
    if (shortageOf(codeOf(error), String(error)) === 'capacity')
      return { kind: 'no-capacity', reason: (error as Error).message };
    throw cloudError(what, error);
  }
}

const textOf = ({ code, message }: OperationError): string => `${code}: ${message}`;

export async function stateOfInstances(config: GpuConfig, api: ComputeApi, set: NodeSet): Promise<NodesState> {
  const names = instanceNames(config, set);
  const found = new Map(
    (await api.listInstances(config, `labels.stp-run=${runLabel(set.run)}`)).map((one) => [one.name, one]),
  );
  const foreign =
    foreignOf(config, set, [...found.values()]) ?? [...found.keys()].find((name) => isBeyond(name, names, set));
  if (foreign !== undefined) return { kind: 'lost', reason: `${foreign} is of an earlier run, which asked for others` };
  const present = names.filter((name) => found.has(name));
  if (present.length === 0) return { kind: 'absent' };
  const gone = present
    .map((name) => found.get(name)!)
    .find((one) => !COMING.has(one.status) && one.status !== 'RUNNING');
  if (gone !== undefined) return { kind: 'lost', reason: `instance ${gone.name} is ${gone.status}` };
  if (present.length < names.length)
    return { kind: 'incomplete', reason: `${present.length} of ${names.length} instances are there` };
  const coming = names.map((name) => found.get(name)!).find((one) => one.status !== 'RUNNING');
  if (coming !== undefined) return { kind: 'waiting', reason: `instance ${coming.name} is ${coming.status}` };
  return { kind: 'ready', hosts: names.map((name) => hostOf(found.get(name)!)) };
}

/** Returns an instance of the set that does not match the configuration: its name was taken before our request. */
function foreignOf({ machineType }: GpuConfig, set: NodeSet, found: readonly Instance[]): string | undefined {
  const isOther = (one: Instance): boolean => one.machineType !== '' && one.machineType !== machineType;
  return found.find((one) => one.name.startsWith(`${nodeName(set)}-`) && isOther(one))?.name;
}

/** Does the name belong to the set's scheme, with a number beyond its size? */
const isBeyond = (name: string, names: readonly string[], set: NodeSet): boolean =>
  name.startsWith(`${nodeName(set)}-`) && !names.includes(name);

const hostOf = ({ name, address }: Instance): NodeHost => ({
  name: `${name}/0`,
  taskQueue: hostQueue(name, 0),
  address,
});
