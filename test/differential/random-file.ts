/**
 * Makes whole random files from a seed. The generator knows every theorem's full name and whether it rests on `sorry`
 * or an axiom. Most files compile: names are declared before they are used, and every open scope is closed.
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
