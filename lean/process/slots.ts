/** A fixed number of slots: at most so many Lean processes at once, first come first served. */

export interface Slots {
  /** Runs `task` when a slot is free and gives the slot back whatever becomes of it. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

export function openSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];

  async function take(): Promise<void> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function giveBack(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    async run(task) {
      await take();
      try {
        return await task();
      } finally {
        giveBack();
      }
    },
  };
}
