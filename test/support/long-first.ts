/** An order of test files in which the long ones start first, so that none of them runs alone at the end. */
import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/** Returns a sequencer that starts with the files of `names`, in that order. Paths are from the repository's root. */
export function longFirst(names: readonly string[]): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const rankOf = ({ moduleId }: TestSpecification): number => {
        const found = names.findIndex((name) => moduleId.endsWith(`/${name}`));
        return found === -1 ? names.length : found;
      };
      return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other));
    }
  };
}
