// How many requests wait for a permit of one rate limit, by priority: whichever other rate limits they need.
import type { Priority } from './client-queue.js';

export class QueueLength {
  readonly #counts: Record<Priority, number> = { urgent: 0, normal: 0, background: 0 };
  #all = 0;

  get counts(): Readonly<Record<Priority, number>> {
    return this.#counts;
  }

  get all(): number {
    return this.#all;
  }

  /** Requests that are not in the background. */
  get foreground(): number {
    return this.#all - this.#counts.background;
  }

  get urgent(): number {
    return this.#counts.urgent;
  }

  add(priority: Priority, by: 1 | -1): void {
    this.#counts[priority] += by;
    this.#all += by;
  }

  /** Requests of the same or a higher priority. Others never keep a request out of the queue. */
  upTo(priority: Priority): number {
    const { urgent, normal, background } = this.#counts;
    return urgent + (priority === 'urgent' ? 0 : normal) + (priority === 'background' ? background : 0);
  }
}
