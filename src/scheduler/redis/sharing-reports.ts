// Which changes of state a process reports. Attempts to join may fail every two seconds: only changes, and new reasons
// of lasting failures, become events.
import type { SharingEvent } from '../sharing.js';
import type { SharingFailure } from './failure.js';

/** Another tenant of the Redis could cause new reasons for ever. */
const maxReasons = 100;

export class SharingReports {
  readonly #report: (event: SharingEvent) => void;
  #state: SharingEvent['state'] | undefined;
  /** Reasons of lasting failures that were reported after the last `joined`. */
  readonly #reasons = new Set<string>();

  constructor(report: (event: SharingEvent) => void) {
    this.#report = report;
  }

  /** Reports a state when it is new. */
  state(state: SharingEvent['state'], reason: string): void {
    if (this.#state === state) return;
    this.#state = state;
    if (state === 'joined') this.#reasons.clear();
    this.#report({ type: 'sharing', state, reason });
  }

  /**
   * Reports a failure when it changes the state, and a lasting one once.
   *
   * @param canGoOn whether a process that uses its share of the limits goes on with it
   */
  failure({ message, isLasting }: SharingFailure, canGoOn: boolean): void {
    const state = this.#state === 'alone' && canGoOn ? 'alone' : 'lost';
    const isNew = isLasting && !this.#reasons.has(message);
    if (this.#state === state && !isNew) return;
    if (this.#reasons.size >= maxReasons) this.#reasons.clear();
    if (isLasting) this.#reasons.add(message);
    this.#state = state;
    this.#report({ type: 'sharing', state, reason: message });
  }

  /** Reports that the limit which applies to all differs from this process's own, or no longer does. */
  limit(name: string, limit: number, applied: number): void {
    const reason =
      applied < limit
        ? `rate limit "${name}" is ${applied} instead of ${limit}, because another process announces a lower limit`
        : `rate limit "${name}" is ${limit} again, because no process announces a lower limit`;
    this.#report({ type: 'sharing', state: 'joined', reason });
  }
}
