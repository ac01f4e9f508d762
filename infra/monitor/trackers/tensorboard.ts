/**
 * TensorBoard's event files: TFRecord records with a protobuf `Event` each. Every group of metrics (`round`,
 * `training/sft`) has its own folder, so that only one process at a time writes there: TensorBoard reads the files of a
 * folder one after the other.
 */
import { appendFile, mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import protobuf from 'protobufjs';
import { keepLink, linkName, type TrackedRun, type Tracker } from './tracker.ts';

export interface TensorboardSettings {
  /** Folder of the run. */
  readonly directory: string;
  /** STP_TENSORBOARD_URL, for links. */
  readonly url: string | null;
}

/** The parts of `tensorflow/core/util/event.proto` and of its neighbours that are written here. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Event { double wall_time = 1; int64 step = 2; oneof what { string file_version = 3; Summary summary = 5; } }
  message Summary {
    message Value { string tag = 1; oneof value { float simple_value = 2; Tensor tensor = 8; } Metadata metadata = 9; }
    repeated Value value = 1;
  }
  message Metadata { message Plugin { string plugin_name = 1; } Plugin plugin_data = 1; }
  message Tensor { int32 dtype = 1; Shape tensor_shape = 2; repeated bytes string_val = 8; }
  message Shape { message Dim { int64 size = 1; } repeated Dim dim = 2; }
`);
const eventType = root.lookupType('Event');
/** `DT_STRING` of `types.proto`. */
const STRING = 7;

/** Counts the trackers of this process, so that their files have different names. */
let opened = 0;

export function tensorboardTracker(run: TrackedRun, { directory, url }: TensorboardSettings): Tracker {
  const folder = directory;
  opened += 1;
  const seconds = String(Math.floor(Date.now() / 1_000)).padStart(10, '0');
  const file = `events.out.tfevents.${seconds}.${hostname()}.${process.pid}.${opened}`;
  const begun = new Set<string>();
  const write = async (group: string, events: readonly object[]): Promise<void> => {
    const groupFolder = join(folder, group.replaceAll('/', '_'));
    const isNew = !begun.has(group);
    if (isNew) await mkdir(groupFolder, { recursive: true });
    const first = { wallTime: Date.now() / 1_000, fileVersion: 'brain.Event:2' };
    await appendFile(join(groupFolder, file), Buffer.concat((isNew ? [first, ...events] : events).map(record)));
    begun.add(group);
  };
  let isLinked = false;
  const link = async (): Promise<void> => {
    const text = url === null ? `tensorboard --logdir ${folder}` : `TensorBoard, runs of ${run.run}`;
    await keepLink(run.store, linkName('tensorboard', 'files'), { tracker: 'tensorboard', url, text, id: null });
    await write('config', [{ wallTime: Date.now() / 1_000, summary: { value: [textValue(run.parameters)] } }]);
    isLinked = true;
  };
  return {
    async send(entries) {
      if (!isLinked) await link();
      const byGroup = new Map<string, object[]>();
      for (const entry of entries) {
        if (entry.kind !== 'metric') continue;
        const { name, step, value, at } = entry.metric;
        const group = name.slice(0, name.lastIndexOf('/'));
        const summary = { value: [{ tag: name, simpleValue: value }] };
        const event = { wallTime: Date.parse(at) / 1_000, step, summary };
        byGroup.set(group, [...(byGroup.get(group) ?? []), event]);
      }
      for (const [group, events] of byGroup) await write(group, events);
    },
    async close() {},
  };
}

/** Formats the configuration as a table for TensorBoard's texts. */
function textValue(parameters: Readonly<Record<string, string>>): object {
  const rows = Object.entries(parameters).map(([key, value]) => `| ${key} | ${value.replaceAll(/[|\n]/g, ' ')} |`);
  const text = ['| value | is |', '|---|---|', ...rows].join('\n');
  return {
    tag: 'config',
    metadata: { pluginData: { pluginName: 'text' } },
    tensor: { dtype: STRING, tensorShape: { dim: [{ size: 1 }] }, stringVal: [Buffer.from(text)] },
  };
}

/** Writes length, its checksum, the event, and its checksum; numbers are little-endian. */
function record(event: object): Buffer {
  const data = eventType.encode(eventType.fromObject(event)).finish();
  const head = Buffer.alloc(12);
  head.writeBigUInt64LE(BigInt(data.length));
  head.writeUInt32LE(masked(head.subarray(0, 8)), 8);
  const tail = Buffer.alloc(4);
  tail.writeUInt32LE(masked(data));
  return Buffer.concat([head, data, tail]);
}

/** Masks a CRC-32C as TFRecord does: rotates it right by 15 bits and adds a constant. */
function masked(bytes: Uint8Array): number {
  const crc = crc32c(Buffer.from(bytes));
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
