// Whether a recorded market accepts and fills orders, and why not.
import { BehaviorSubject, type Observable } from 'rxjs';

/** Whether a market is open: `since` is Unix milliseconds by the sandbox's clock. */
export type MarketStatus =
  | { readonly status: 'open'; readonly since: number }
  | {
      readonly status: 'closed';
      /**
       * `start`: no snapshot yet. `stopped`, `failed`: nothing is followed any more. Otherwise why messages may be
       * missing, such as `disconnected`, `sequence`, or `asleep` for a process that was suspended or busy.
       */
      readonly reason: string;
      readonly since: number;
    };

/** A time in which a market was closed. */
export interface MarketClosure {
  readonly market: string;
  readonly reason: string;
  /** Unix milliseconds. */
  readonly from: number;
  /** Unix milliseconds; absent for a market that was not opened again. */
  readonly to?: number;
}

export class MarketState {
  readonly status$: Observable<MarketStatus>;
  readonly #status$: BehaviorSubject<MarketStatus>;
  readonly #closures: MarketClosure[] = [];
  #status: MarketStatus;

  constructor(
    readonly market: string,
    now: number,
  ) {
    this.#status = { status: 'closed', reason: 'start', since: now };
    this.#status$ = new BehaviorSubject<MarketStatus>(this.#status);
    this.status$ = this.#status$.asObservable();
  }

  get closures(): readonly MarketClosure[] {
    if (this.#status.status === 'open') return this.#closures;
    const { reason, since: from } = this.#status;
    return [...this.#closures, { market: this.market, reason, from }];
  }

  /** Infinite while the market is open. */
  get closedSince(): number {
    return this.#status.status === 'open' ? Number.POSITIVE_INFINITY : this.#status.since;
  }

  open(at: number): void {
    if (this.#status.status === 'open') return;
    const { reason, since: from } = this.#status;
    this.#closures.push({ market: this.market, reason, from, to: at });
    this.#become({ status: 'open', since: at });
  }

  close(reason: string, at: number): void {
    if (this.#status.status === 'open') this.#become({ status: 'closed', reason, since: at });
  }

  /** Ends the status with an error. Returns whether anybody has received it. */
  fail(error: unknown): boolean {
    const { observed } = this.#status$;
    this.#status$.error(error);
    return observed;
  }

  #become(status: MarketStatus): void {
    this.#status = status;
    this.#status$.next(status);
  }
}
