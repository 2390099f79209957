// The feed of one page: the newest state of each part, at most ten times a second. A page that reads slowly skips states;
// nothing waits in a queue.
import type { ServerResponse } from 'node:http';
import { Subscription, type Observable } from 'rxjs';
import type { Parts, Series, Update } from './messages.js';
import type { PartUpdate } from './parts/page-parts.js';

const everyMs = 100;
/** A page that has read nothing for this long is gone. */
const maxStallMs = 30_000;

type PartName = keyof Parts;

export class PageStream {
  readonly #response: ServerResponse;
  readonly #waiting = new Map<PartName, PartUpdate>();
  /** The points of each series that the page has. */
  readonly #sent = new Map<PartName, ReadonlySet<object>>();
  readonly subscription = new Subscription();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stall: ReturnType<typeof setTimeout> | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on('drain', this.#onDrain);
    this.subscription.add(() => {
      clearTimeout(this.#timer);
      clearTimeout(this.#stall);
      response.off('drain', this.#onDrain);
      response.destroy();
    });
  }

  follow(parts$: Observable<PartUpdate>): void {
    const end = () => {
      this.subscription.unsubscribe();
    };
    this.subscription.add(
      parts$.subscribe({
        next: (update) => {
          this.#waiting.set(update.name, update);
          this.#schedule();
        },
        error: end,
        complete: end,
      }),
    );
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#stall !== undefined) return;
    const dueMs = Math.max(0, this.#sentAt + everyMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, dueMs);
  }

  #send(): void {
    const parts = Object.fromEntries([...this.#waiting].map(([name, update]) => [name, this.#cut(update)]));
    this.#waiting.clear();
    this.#sentAt = performance.now();
    const update: Update = { now: Date.now(), parts };
    if (this.#response.write(`data: ${JSON.stringify(update)}\n\n`)) return;
    this.#stall = setTimeout(() => {
      this.subscription.unsubscribe();
    }, maxStallMs);
  }

  readonly #onDrain = () => {
    clearTimeout(this.#stall);
    this.#stall = undefined;
    if (this.#waiting.size > 0) this.#schedule();
  };

  #cut({ name, value }: PartUpdate): Parts[PartName] {
    if (!('points' in value)) return value;
    const sent = this.#sent.get(name);
    this.#sent.set(name, new Set<object>(value.points));
    return sent === undefined ? value : unsentOf(value, sent);
  }
}

/** The points of a series from the first one on that the page lacks, or has in another state. */
function unsentOf<Points extends Series<{ readonly at: number }>>(series: Points, sent: ReadonlySet<object>): Points {
  const { points } = series;
  const from = points.findIndex((point) => !sent.has(point));
  return { ...series, whole: from === 0 || points.length === 0, points: from === -1 ? [] : points.slice(from) };
}
