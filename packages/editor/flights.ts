/** Work shared by several callers: started once, reported to all, and aborted when the last caller has left. */

interface Flight<Event, Result> {
  readonly controller: AbortController;
  readonly told: Event[];
  readonly listeners: Set<(event: Event) => void>;
  readonly result: Promise<Result>;
}

export class Flights<Event, Result> {
  readonly #open = new Map<string, Flight<Event, Result>>();

  /**
   * Subscribes to all events of the work, including earlier ones. Rejects with the signal's reason as soon as it
   * aborts.
   */
  join(
    key: string,
    signal: AbortSignal,
    onEvent: (event: Event) => void,
    work: (signal: AbortSignal, emit: (event: Event) => void) => Promise<Result>,
  ): Promise<Result> {
    const flight = this.#open.get(key) ?? this.#begin(key, work);
    for (const event of flight.told) onEvent(event);
    flight.listeners.add(onEvent);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        flight.listeners.delete(onEvent);
        if (flight.listeners.size === 0) {
          this.#end(key, flight);
          flight.controller.abort(signal.reason);
        }
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      flight.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  close(reason: unknown): void {
    for (const { controller } of this.#open.values()) controller.abort(reason);
    this.#open.clear();
  }

  #begin(
    key: string,
    work: (signal: AbortSignal, emit: (event: Event) => void) => Promise<Result>,
  ): Flight<Event, Result> {
    const controller = new AbortController();
    const told: Event[] = [];
    const listeners = new Set<(event: Event) => void>();
    const emit = (event: Event): void => {
      told.push(event);
      for (const listener of listeners) listener(event);
    };
    const result = work(controller.signal, emit);
    const flight = { controller, told, listeners, result };
    this.#open.set(key, flight);
    result.catch(() => {}).finally(() => this.#end(key, flight));
    return flight;
  }

  /** An abandoned flight may end while another with the same key is open. */
  #end(key: string, flight: Flight<Event, Result>): void {
    if (this.#open.get(key) === flight) this.#open.delete(key);
  }
}
