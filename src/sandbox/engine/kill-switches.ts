// Kill switches: when the open orders of an account on a market are canceled, unless the account resets the timer.
import { type EngineTime, unixSeconds } from '../clock.js';
import { admitMarket } from './admission.js';
import type { KillSwitchType } from './engine-api.js';
import type { Markets } from './markets.js';

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

export class KillSwitches {
  #switches: readonly KillSwitch[] = [];

  constructor(
    private readonly time: Pick<EngineTime, 'now'>,
    private readonly markets: Pick<Markets, 'find'>,
  ) {}

  /**
   * Sets the timer after which the account's open orders of the market, or only those of these types, are canceled;
   * returns when it was set and when it fires, Unix seconds. `undefined` seconds remove the kill switch.
   */
  set(account: string, market: string, seconds: number | undefined, types?: readonly KillSwitchType[]) {
    admitMarket(this.markets.find(market), 'either');
    this.#switches = this.#switches.filter((other) => other.account !== account || other.market !== market);
    if (seconds === undefined) return undefined;
    const setAt = this.time.now();
    const at = setAt + seconds * 1000;
    this.#switches = [...this.#switches, { account, market, types, setAt, at }];
    return { startTime: unixSeconds(setAt), cancellationTime: unixSeconds(at) };
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
