/**
 * Checks entries of one header to the end, whatever some of them do to the process: a batch that crashes, hangs or eats
 * memory goes on after the entry it was at, that entry is checked alone, and what exceeded a small limit is tried once more
 * under a big one. Only what Lean could not be asked about ends as `infra`.
 */
import type { LeanMessage, VerdictKind } from '../../data/schemas/records.ts';
import { allEnded } from '../process/all-ended.ts';
import type { LeanDriver } from '../process/driver.ts';
import { openJsonDriver } from '../process/json-driver.ts';
import type { Slots } from '../process/slots.ts';
import type { LeanExit } from '../process/spawn.ts';
import { cut } from './batch-reading.ts';
import type { BatchEntry } from './batch-source.ts';
import type { Limits } from './limits.ts';
import { type BatchOutcome, type EntryReading, type ProcessOptions, runBatch } from './run-batch.ts';

/** What is known of an entry before its axioms are judged. */
export type Outcome =
  | { readonly kind: 'unrefuted'; readonly axioms: readonly string[]; readonly checkMs: number }
  | { readonly kind: VerdictKind; readonly messages: readonly LeanMessage[]; readonly checkMs: number };

export interface EntryCheck {
  readonly header: string;
  readonly processOptions: ProcessOptions;
  readonly slots: Slots;
  readonly small: Limits;
  readonly big: Limits;
  readonly smallLimitsOnly: boolean;
  readonly signal: AbortSignal;
}

/** A process that ends before a candidate's text is read was ended by something else: it is started again, so often in all. */
const STARTS_MAX = 2;

/** Resolves when every entry has been settled; `settle` gets each index once, in any order. */
export async function checkEntries(
  check: EntryCheck,
  entries: readonly BatchEntry[],
  settle: (index: number, outcome: Outcome) => void,
): Promise<void> {
  const again: number[] = [];
  let next = 0;
  let startsLeft = STARTS_MAX;
  while (next < entries.length) {
    const first = next;
    const ran = await check.slots.run(() => startAndRun(check, entries.slice(first), check.small));
    if (ran.kind !== 'ran') {
      startsLeft -= 1;
      if (ran.kind === 'no_start' && startsLeft > 0) continue;
      const outcome = ran.kind === 'no_start' ? notStarted(ran.exit) : headerError(ran.messages);
      for (let index = first; index < entries.length; index += 1) settle(index, outcome);
      break;
    }
    for (const [offset, { reading, checkMs }] of ran.done.entries()) {
      if (needsAnotherLook(reading, check)) again.push(first + offset);
      else settle(first + offset, { ...reading, checkMs } as Outcome);
    }
    next = first + ran.done.length;
    // The process ended at this entry: it is looked at alone, and the rest goes on in a new process.
    if (next < entries.length) again.push(next++);
  }
  await allEnded(again.map(async (index) => settle(index, await checkAlone(check, entries[index]!))));
}

function needsAnotherLook(reading: EntryReading['reading'], { smallLimitsOnly }: EntryCheck): boolean {
  return reading.kind === 'unclear' || (reading.kind === 'timeout' && !smallLimitsOnly);
}

/** One entry in a process of its own under the big limits (or the small ones, where only they are asked for); what it does there is its verdict. */
export async function checkAlone(check: EntryCheck, entry: BatchEntry): Promise<Outcome> {
  const startedAt = performance.now();
  const ran = await check.slots.run(() => startAndRun(check, [entry], check.smallLimitsOnly ? check.small : check.big));
  if (ran.kind === 'header_error') return headerError(ran.messages);
  if (ran.kind === 'no_start') return notStarted(ran.exit);
  const done = ran.done[0];
  if (done === undefined) return endedEarly(ran.exit, performance.now() - startedAt);
  const { reading, checkMs } = done;
  if (reading.kind !== 'unclear') return { ...reading, checkMs } as Outcome;
  return { kind: 'rejected', messages: [note('its check theorem was not accepted')], checkMs };
}

/** A driver knows which headers can be imported. */
const drivers = new WeakMap<ProcessOptions, LeanDriver>();

/** In a process of its own. */
async function startAndRun(
  { header, processOptions, signal }: EntryCheck,
  entries: readonly BatchEntry[],
  limits: Limits,
): Promise<BatchOutcome | { readonly kind: 'no_start'; readonly exit: LeanExit }> {
  const driver = drivers.get(processOptions) ?? openJsonDriver(processOptions);
  drivers.set(processOptions, driver);
  const opened = await driver.open(header, { signal, memoryBytesMax: limits.memoryBytesMax });
  return opened.kind === 'open' ? runBatch(opened.session, entries, limits, signal) : opened;
}

function endedEarly(exit: LeanExit, checkMs: number): Outcome {
  const said = exit.stderr.trim().slice(-400);
  switch (exit.how) {
    case 'deadline':
      return { kind: 'timeout', messages: [note('Lean was stopped at the time limit')], checkMs };
    case 'memory':
      return { kind: 'oom', messages: [note('Lean was stopped at the memory limit')], checkMs };
    case 'output':
      return { kind: 'oom', messages: [note('Lean printed more than is read')], checkMs };
    case 'crashed':
      return {
        kind: 'crash',
        messages: [note(`Lean ended by ${exit.signal ?? `exit code ${exit.code}`}: ${said}`)],
        checkMs,
      };
    case 'finished':
      return { kind: 'rejected', messages: [note('Lean did not reach the end of the proof')], checkMs };
    case 'not-started':
      return notStarted(exit);
  }
}

function notStarted(exit: LeanExit): Outcome {
  return {
    kind: 'infra',
    messages: [note(`Lean did not start (${exit.how}): ${exit.stderr.trim().slice(-400)}`)],
    checkMs: 0,
  };
}

function headerError(messages: readonly LeanMessage[]): Outcome {
  return { kind: 'header_error', messages: cut(messages, { proof: 1 }), checkMs: 0 };
}

function note(text: string): LeanMessage {
  return { severity: 'error', line: 0, column: 0, text };
}
