/**
 * The network of a rehearsal: a bridge in its own namespace, and a namespace for every machine, so this machine's own
 * network is not touched. Connections can be cut, and made slow and lossy.
 */
import { execa } from 'execa';

/** Prefix of our namespaces; a clean-up ends everything with this prefix. */
export const NAMESPACE_PREFIX = 'stp-rehearsal-';
const BACKBONE = `${NAMESPACE_PREFIX}net`;
const BRIDGE = 'bridge0';
const SUBNET = '10.77.0';
const DELAY_MS = 200;
const LOSS_PERCENT = 5;

export const namespaceOf = (machine: string): string => `${NAMESPACE_PREFIX}${machine}`;
export const addressOf = (index: number): string => `${SUBNET}.${index + 10}`;

const ip = (...words: string[]) => execa('ip', words);
const onBackbone = (file: string, ...words: string[]) => execa('ip', ['netns', 'exec', BACKBONE, file, ...words]);

export async function makeBackbone(): Promise<void> {
  await ip('netns', 'add', BACKBONE);
  await ip('-n', BACKBONE, 'link', 'add', BRIDGE, 'type', 'bridge');
  await ip('-n', BACKBONE, 'link', 'set', BRIDGE, 'up');
}

/** Makes a namespace with one address on the bridge. */
export async function connect(machine: string, address: string): Promise<void> {
  const namespace = namespaceOf(machine);
  await ip('netns', 'add', namespace);
  await ip('-n', BACKBONE, 'link', 'add', machine, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
  await ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
  await ip('-n', namespace, 'link', 'set', 'lo', 'up');
  await ip('-n', namespace, 'link', 'set', 'eth0', 'up');
  await ip('-n', BACKBONE, 'link', 'set', machine, 'master', BRIDGE, 'up');
}

/** Cuts a machine off: all its packets are lost silently, as behind a broken switch. */
export async function cut(machine: string): Promise<() => Promise<void>> {
  await ip('-n', BACKBONE, 'link', 'set', machine, 'nomaster');
  return async () => {
    await ip('-n', BACKBONE, 'link', 'set', machine, 'master', BRIDGE);
  };
}

/**
 * Makes a connection slow and lossy: by netem if the kernel has it, else by a queue that delays packets by up to the
 * same time, and by dropping packets at random.
 */
export async function slow(machine: string): Promise<{ readonly how: string; readonly heal: () => Promise<void> }> {
  const netem = ['netem', 'delay', `${DELAY_MS}ms`, 'loss', `${LOSS_PERCENT}%`];
  const heal = async (): Promise<void> => {
    await onBackbone('tc', 'qdisc', 'del', 'dev', machine, 'root').catch(() => undefined);
    await onBackbone('nft', 'delete', 'table', 'netdev', table).catch(() => undefined);
  };
  const table = `slow_${machine.replaceAll('-', '_')}`;
  const { failed } = await execa(
    'ip',
    ['netns', 'exec', BACKBONE, 'tc', 'qdisc', 'add', 'dev', machine, 'root', ...netem],
    {
      reject: false,
    },
  );
  if (!failed) return { how: `netem: ${DELAY_MS} ms, ${LOSS_PERCENT} % lost`, heal };
  await onBackbone(
    'tc',
    'qdisc',
    'add',
    'dev',
    machine,
    'root',
    'tbf',
    'rate',
    '1mbit',
    'burst',
    '3000',
    'latency',
    `${DELAY_MS}ms`,
  );
  const hook = `type filter hook ingress device "${machine}" priority 0; policy accept;`;
  const rules = `table netdev ${table} {\n chain in {\n ${hook}\n numgen random mod 100 < ${LOSS_PERCENT} drop\n }\n}\n`;
  await execa('ip', ['netns', 'exec', BACKBONE, 'nft', '-f', '-'], { input: rules });
  return { how: `1 Mbit/s, queued up to ${DELAY_MS} ms, ${LOSS_PERCENT} % lost (this kernel has no netem)`, heal };
}

/** Returns the names of our existing namespaces. */
export async function namespaces(): Promise<string[]> {
  const { stdout } = await ip('netns', 'list');
  return stdout
    .split('\n')
    .map((line) => line.split(' ')[0]!)
    .filter((name) => name.startsWith(NAMESPACE_PREFIX));
}

/** Ends every process in our namespaces and removes them. */
export async function removeNamespaces(): Promise<void> {
  for (const name of await namespaces()) {
    for (let turn = 0; turn < 100; turn += 1) {
      const { stdout } = await execa('ip', ['netns', 'pids', name], { reject: false });
      const pids = stdout.split('\n').filter((line) => line !== '');
      if (pids.length === 0) break;
      for (const pid of pids)
        try {
          process.kill(Number(pid), 'SIGKILL');
        } catch {
          // The process has ended already.
        }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await ip('netns', 'del', name);
  }
}
