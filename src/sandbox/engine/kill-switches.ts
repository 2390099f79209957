// Kill switches: when the open orders of an account on a market are canceled, unless the account resets the timer.
import { admitMarket } from './admission.js';
import type { KillSwitchType } from './engine-api.js';
import type { OrderBook } from './order-book.js';

export interface KillSwitch {
  readonly account: string;
  readonly market: string;
  /** The kinds of orders to cancel; `undefined` cancels all. */
  readonly types: readonly KillSwitchType[] | undefined;
  /** When the kill switch was set, Unix milliseconds. */
  readonly setAt: number;
  /** When the kill switch fires, Unix milliseconds. */
  readonly at: number;
}

/** When a kill switch was set and when it fires, Unix seconds. */
export interface KillSwitchTimes {
  readonly startTime: number;
  readonly cancellationTime: number;
}

export class KillSwitches {
  #switches: readonly KillSwitch[] = [];

  constructor(
    private readonly now: () => number,
    private readonly find: (market: string) => OrderBook | undefined,
  ) {}

  /**
   * Sets the timer after which the account's open orders of the market, or only those of these types, are canceled;
   * returns its times. `undefined` seconds remove the kill switch.
   */
  set(
    account: string,
    market: string,
    seconds: number | undefined,
    types?: readonly KillSwitchType[],
  ): KillSwitchTimes | undefined {
    admitMarket(this.find(market), 'either');
    this.#switches = this.#switches.filter((other) => other.account !== account || other.market !== market);
    if (seconds === undefined) return undefined;
    const setAt = this.now();
    const at = setAt + seconds * 1000;
    this.#switches = [...this.#switches, { account, market, types, setAt, at }];
    return { startTime: Math.floor(setAt / 1000), cancellationTime: Math.floor(at / 1000) };
  }

  list(account: string): KillSwitch[] {
    return this.#switches.filter((one) => one.account === account);
  }

  /** Removes and returns the switches that are due by `now` (Unix milliseconds), the earliest first. */
  take(now: number): KillSwitch[] {
    if (this.#switches.every(({ at }) => at > now)) return [];
    const due = this.#switches.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    this.#switches = this.#switches.filter(({ at }) => at > now);
    return due;
  }
}
