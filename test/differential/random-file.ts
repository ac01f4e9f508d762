/**
 * Whole files made at random from a seed; the generator knows every theorem's full name and whether it rests on `sorry`
 * or an axiom. Made so that most compile: what is used was declared before, and every scope that is opened is closed.
 */
import { randomStream } from '@stp/selfplay';
import { FileWriter } from './file-writer.ts';

/** A theorem, an axiom, or a part of one. */
export interface FileFact {
  /** As a report prints it. */
  readonly name: string;
  /** Proved without `sorry` and without an axiom of the file. */
  readonly isSound: boolean;
  /** Whether every report must list it. Parts of declarations may be listed. */
  readonly isListed: boolean;
}

export interface RandomFile {
  readonly seed: number;
  readonly text: string;
  /** Nothing but these may be listed. */
  readonly facts: readonly FileFact[];
}

export function randomFile(seed: number): RandomFile {
  const writer = new FileWriter(randomStream('random file', seed));
  return { seed, ...writer.write() };
}
