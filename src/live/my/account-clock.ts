// The time of this machine, which never jumps, and the exchange's time in comparison with it.
import { catchError, EMPTY, Subscription, type Observable } from 'rxjs';

export class AccountClock {
  readonly #readTime: () => Observable<number>;
  readonly #origin = Date.now() - performance.now();
  #aheadS: number | undefined;
  #reading = Subscription.EMPTY;

  /** @param readTime the exchange's time, whole Unix seconds */
  constructor(readTime: () => Observable<number>) {
    this.#readTime = readTime;
  }

  /** Unix seconds by the machine's clock, also after it was set. */
  get nowS(): number {
    return (this.#origin + performance.now()) / 1000;
  }

  /** The exchange's clock minus that of this machine, seconds; `undefined` before it was read. */
  get aheadS(): number | undefined {
    return this.#aheadS;
  }

  /** Reads the exchange's time. Without a result, the last difference counts. */
  read(): void {
    this.#reading.unsubscribe();
    this.#reading = this.#readTime()
      .pipe(catchError(() => EMPTY))
      .subscribe((time) => {
        this.#aheadS = time - this.nowS;
      });
  }

  end(): void {
    this.#reading.unsubscribe();
  }
}
