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

interface Sent {
  readonly epoch: number;
  readonly at: number;
}

export class PageStream {
  readonly #response: ServerResponse;
  readonly #waiting = new Map<PartName, PartUpdate>();
  readonly #sent = new Map<PartName, Sent>();
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

  /** Of a series that continues what the page has, the points that changed. */
  #cut({ name, value, epoch = 0 }: PartUpdate): Parts[PartName] {
    if (!('points' in value)) return value;
    const { at = Number.NEGATIVE_INFINITY } = value.points.at(-1) ?? {};
    const sent = this.#sent.get(name);
    this.#sent.set(name, { epoch, at });
    return sent?.epoch === epoch ? sinceIn(value, sent.at) : value;
  }
}

/** The points of a series that the page lacks, and the last one that it has, which may have changed. */
function sinceIn<Points extends Series<{ readonly at: number }>>(series: Points, at: number): Points {
  return { ...series, whole: false, points: series.points.filter((point) => point.at >= at) };
}
