// Kill switches: when the open orders of an account on a market are canceled, unless the account resets the timer.
import type { EngineTime } from '../clock.js';
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
  readonly #switches = new Map<string, KillSwitch>();

  constructor(
    private readonly time: Pick<EngineTime, 'now'>,
    private readonly markets: Pick<Markets, 'find'>,
  ) {}

  set(account: string, market: string, seconds: number | undefined, types?: readonly KillSwitchType[]) {
    admitMarket(this.markets.find(market), 'either');
    const key = JSON.stringify([account, market]);
    this.#switches.delete(key);
    if (seconds === undefined) return undefined;
    const setAt = this.time.now();
    const made: KillSwitch = { account, market, types, setAt, at: setAt + seconds * 1000 };
    this.#switches.set(key, made);
    return made;
  }

  list(account: string): KillSwitch[] {
    return [...this.#switches.values()].filter((one) => one.account === account);
  }

  /** Removes and returns the switches that are due by `now` (Unix milliseconds), the earliest first. */
  take(now: number): KillSwitch[] {
    const due = [...this.#switches].filter(([, { at }]) => at <= now).sort(([, one], [, other]) => one.at - other.at);
    for (const [key] of due) this.#switches.delete(key);
    return due.map(([, one]) => one);
  }
}
