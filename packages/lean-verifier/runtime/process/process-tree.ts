/**
 * Measures memory and processor time of a process and its descendants. The spawned process may be a sandbox or a server
 * whose children do the work, so its own figures say little. All watches share one table of the machine's processes,
 * which is rebuilt at most every quarter of a second.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { type Resources, readResources } from './resources.ts';

/** Building a table takes some microseconds for each process of the machine. */
const TABLE_AGE_MS_MAX = 250;
/** Enough bytes for the program name and the first four fields of `/proc/PID/stat`. */
const STAT_HEAD_BYTES = 256;

interface Entry {
  readonly parent: number;
  readonly group: number;
}

let table: { readonly madeAt: number; readonly children: ReadonlyMap<number, readonly number[]> } | null = null;

/**
 * Sums over the process and its descendants; children younger than the table are missing. Null if the process is gone
 * or there is no /proc.
 */
export function treeResources(pid: number, tableAgeMsMax = TABLE_AGE_MS_MAX): Resources | null {
  const own = readResources(pid);
  if (own === null) return null;
  let { residentBytes, cpuMs } = own;
  for (const resources of descendants(pid, tableAgeMsMax).map(readResources)) {
    residentBytes += resources?.residentBytes ?? 0;
    cpuMs += resources?.cpuMs ?? 0;
  }
  return { residentBytes, cpuMs };
}

/** Returns all descendants, including members of the process group whose own parent has ended. */
function descendants(pid: number, tableAgeMsMax: number): number[] {
  const ageMsMax = Math.min(tableAgeMsMax, TABLE_AGE_MS_MAX);
  if (table === null || performance.now() - table.madeAt > ageMsMax) table = makeTable();
  const found = new Set([pid]);
  for (const known of found) for (const child of table.children.get(known) ?? []) found.add(child);
  found.delete(pid);
  return [...found];
}

/** Lists each process under its parent and under the leader of its group. */
function makeTable(): NonNullable<typeof table> {
  const children = new Map<number, number[]>();
  const buffer = Buffer.alloc(STAT_HEAD_BYTES);
  for (const name of processNames()) {
    const pid = Number(name);
    const entry = Number.isInteger(pid) ? readEntry(pid, buffer) : null;
    if (entry === null) continue;
    for (const above of new Set([entry.parent, entry.group])) {
      const list = children.get(above);
      if (list === undefined) children.set(above, [pid]);
      else list.push(pid);
    }
  }
  return { madeAt: performance.now(), children };
}

function processNames(): readonly string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return []; // There is no /proc, so no process can be seen.
  }
}

function readEntry(pid: number, buffer: Buffer): Entry | null {
  let file: number | null = null;
  try {
    file = openSync(`/proc/${pid}/stat`, 'r');
    const head = buffer.toString('latin1', 0, readSync(file, buffer));
    // The program's name is in parentheses and may contain blanks. State, parent and group follow it.
    const [, parent, group] = head.slice(head.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(parent), group: Number(group) };
  } catch {
    return null; // The process has ended meanwhile.
  } finally {
    if (file !== null) closeSync(file);
  }
}
