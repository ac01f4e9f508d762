/** Proof texts made at random from a seed: it is known only whether the statement is true. */
import { type Random, randomStream } from '@stp/selfplay';
import { readAttacks } from '../adversarial/attacks.ts';
import { FILLERS, PROOFS, SIGNS, SPACES, STATEMENTS, WORDS } from './pieces.ts';

export interface RandomProof {
  readonly seed: number;
  /** Everything after the theorem's name. */
  readonly signature: string;
  readonly isTrue: boolean;
  readonly text: string;
}

/** `sleep` only waits, and each of them holds up all that is checked beside it. */
const ATTACKS: readonly string[] = readAttacks('proof')
  .filter(({ name }) => name !== 'sleep')
  .map(({ proof }) => proof.trim());

/** These hold for most of the true statements. */
const GENERAL = PROOFS.filter((proof) => proof.includes('first'));

export function randomProof(seed: number): RandomProof {
  const random = randomStream('random proof', seed);
  const { signature, isTrue } = pick(random, STATEMENTS);
  return { seed, signature, isTrue, text: textOf(random) };
}

function textOf(random: Random): string {
  const kind = random.below(20);
  if (kind < 2) return soup(random, [SIGNS, SPACES, WORDS]);
  if (kind < 4) return soup(random, [WORDS, WORDS, WORDS, PROOFS]);
  if (kind < 6) return indented(random, spliced(random, pick(random, ATTACKS), pick(random, PROOFS)));
  if (kind < 8) return indented(random, spliced(random, pick(random, PROOFS), pick(random, ATTACKS)));
  if (kind < 10) return indented(random, changed(random, pick(random, ATTACKS), [SIGNS, FILLERS, SPACES, WORDS]));
  if (kind < 13) return indented(random, changed(random, pick(random, PROOFS), [SIGNS, WORDS, SPACES]));
  if (kind < 18) return indented(random, filled(random, pick(random, pick(random, [PROOFS, GENERAL]))));
  return indented(random, spliced(random, pick(random, PROOFS), pick(random, PROOFS)));
}

function soup(random: Random, lists: readonly (readonly string[])[]): string {
  const parts: string[] = [];
  for (let left = 1 + random.below(12); left > 0; left -= 1)
    parts.push(pick(random, pick(random, lists)), pick(random, ['', ' ', ' ', ' ', '\n  ', '\n']));
  return parts.join('');
}

/** Words, runs of white space, and single characters of anything else. */
const LEXEMES = /\s+|[\p{L}\p{N}_.']+|./gsu;

/** Changes a text by one to three insertions, removals, repetitions or exchanges. */
function changed(random: Random, text: string, lists: readonly (readonly string[])[]): string {
  const parts = text.match(LEXEMES) ?? [];
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    const at = random.below(parts.length + 1);
    const how = random.below(10);
    if (how < 7) parts.splice(at, 0, pick(random, pick(random, lists)));
    else if (how < 8) parts.splice(at, 1);
    else if (how < 9) parts.splice(at, 0, parts[random.below(parts.length)] ?? ' ');
    else parts[at] = pick(random, pick(random, lists));
  }
  return parts.join('');
}

/** Puts one to three fillers where white space stands, or at an end. */
function filled(random: Random, text: string): string {
  let result = text;
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    const offsets = [0, result.length, ...[...result.matchAll(/\s/gsu)].map(({ index }) => index)];
    const at = pick(random, offsets);
    result = result.slice(0, at) + pick(random, FILLERS) + result.slice(at);
  }
  return result;
}

/** The beginning of one and the end of the other, often all of both. */
function spliced(random: Random, first: string, second: string): string {
  const firstParts = first.match(LEXEMES) ?? [];
  const secondParts = second.match(LEXEMES) ?? [];
  const head = random.below(2) === 0 ? firstParts : firstParts.slice(0, 1 + random.below(firstParts.length));
  const tail = random.below(2) === 0 ? secondParts : secondParts.slice(random.below(secondParts.length));
  return head.join('') + pick(random, ['\n  ', '\n  ', ' ', '; ', '\n', ' <;> ', '']) + tail.join('');
}

/** The first line mostly at the column of the others. */
function indented(random: Random, text: string): string {
  return pick(random, ['  ', '  ', '  ', '  ', '', ' ', '   ', '\n  ']) + text;
}

function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.below(items.length)]!;
}
