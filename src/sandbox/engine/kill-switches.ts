// Kill switches: when the open orders of an account on a market are canceled, unless the account resets the timer.

export const killSwitchTypes = ['spot', 'margin', 'futures'] as const;

export type KillSwitchType = (typeof killSwitchTypes)[number];

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

  set(added: KillSwitch): void {
    this.remove(added.account, added.market);
    this.#switches = [...this.#switches, added];
  }

  remove(account: string, market: string): void {
    this.#switches = this.#switches.filter((other) => other.account !== account || other.market !== market);
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

/** The kind of an order; the name of the market distinguishes futures from margin. */
export function killSwitchTypeOf({
  collateral,
  market,
}: {
  readonly collateral: boolean;
  readonly market: string;
}): KillSwitchType {
  if (!collateral) return 'spot';
  return market.endsWith('_PERP') ? 'futures' : 'margin';
}
