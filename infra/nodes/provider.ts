/**
 * The `NodeProvider` port: gets machines from a cloud, or finds those of an inventory, and gives them back. Every call
 * is short and repeatable: the caller waits (timers of a workflow), and names derive only from the run.
 */

/** A set of machines of one run: its first, its second and so on. The next set replaces a lost one. */
export interface NodeSet {
  /** The run's name on machines (`localRunName`), which includes its store. */
  readonly run: string;
  /** 1, 2, … */
  readonly generation: number;
}

/** One call to a cloud's API, without credentials. */
export interface CloudRequest {
  readonly method: 'POST' | 'DELETE';
  readonly url: string;
  readonly body: unknown;
}

/** Price of machines, and its source. */
export interface Price {
  /** USD an hour for all of them; null if the table lacks them. */
  readonly perHour: number | null;
  readonly basis: string;
}

export interface NodesPlan {
  readonly requests: readonly CloudRequest[];
  readonly hosts: number;
  /** TPU chips or GPUs, summed over all hosts. */
  readonly accelerators: number;
  readonly price: Price;
  /** Notes for a person before the requests are sent. */
  readonly notes: readonly string[];
}

/** One machine with a worker on it. */
export interface NodeHost {
  /** `<node>/<n>`: the cloud's name of the node, and the machine's number in it. */
  readonly name: string;
  /** The worker polls this queue. */
  readonly taskQueue: string;
  /** Address inside the network; null if unknown. */
  readonly address: string | null;
}

/** The result of a request. `no-capacity`: ask again later; a permanent shortage is an error instead. */
export type RequestResult = { readonly kind: 'accepted' } | { readonly kind: 'no-capacity'; readonly reason: string };

export type NodesState =
  /** No resource of this name exists. */
  | { readonly kind: 'absent' }
  /** Requested and coming up, or coming up again. */
  | { readonly kind: 'waiting'; readonly reason: string }
  /** Some machines are up, and the others will not come up by themselves. */
  | { readonly kind: 'incomplete'; readonly reason: string }
  | { readonly kind: 'ready'; readonly hosts: readonly NodeHost[] }
  /** The machines were preempted, suspended, stopped or deleted. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The cloud gave the request up. `again`: the same request may succeed later. */
  | { readonly kind: 'failed'; readonly reason: string; readonly advice: string; readonly again: boolean };

/** Machines of a run that are left after a release: none, or those that are still going away. */
export interface Released {
  readonly left: readonly string[];
}

/** Something in the cloud that belongs to a run. */
export interface OwnedResource {
  readonly kind: 'queued resource' | 'TPU node' | 'instance';
  /** Full name in the API. */
  readonly name: string;
  /** Label of the run it belongs to (`runLabel`). */
  readonly runLabel: string;
  readonly state: string;
  /** ms since 1970; null if the API omits it. */
  readonly createdAtMs: number | null;
}

/** Metadata that a machine of a set reads at its start. */
export type Metadata = (set: NodeSet) => Readonly<Record<string, string>>;

export interface NodeProvider {
  /** Works without credentials and sends no request. */
  plan(set: NodeSet): NodesPlan;
  /**
   * Requests the machines; a repeated request changes nothing. `attempt` distinguishes a deliberate new request from a
   * repeated call.
   */
  request(set: NodeSet, attempt: number): Promise<RequestResult>;
  state(set: NodeSet): Promise<NodesState>;
  /**
   * Deletes everything that carries the run's label, of all sets. Call it until nothing is left.
   *
   * @param last set that is also searched by name, since a list may not show new resources yet
   */
  release(runLabel: string, last: NodeSet | null): Promise<Released>;
  /** Lists the resources with the label of a run, or of any run of ours (null). */
  list(runLabel: string | null): Promise<readonly OwnedResource[]>;
}

/** A provider for one run, with the run's name and label on machines. */
export interface RunProvider {
  readonly provider: NodeProvider;
  /** `NodeSet.run` */
  readonly name: string;
  /** Label `stp-run` of everything that the run owns. */
  readonly label: string;
}
