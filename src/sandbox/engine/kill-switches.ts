// Kill switches: when an account's orders of a market are to be canceled, unless it says otherwise before.

interface KillSwitch {
  readonly account: string;
  readonly market: string;
  /** Unix ms. */
  readonly at: number;
}

export class KillSwitches {
  #switches: readonly KillSwitch[] = [];

  /** Replaces the account's switch for the market; `undefined` takes it away. */
  set(account: string, market: string, at: number | undefined): void {
    const others = this.#switches.filter((other) => other.account !== account || other.market !== market);
    this.#switches = at === undefined ? others : [...others, { account, market, at }];
  }

  /** Takes those that are due by `now` (Unix ms), the earliest first. */
  take(now: number): KillSwitch[] {
    if (this.#switches.every(({ at }) => at > now)) return [];
    const due = this.#switches.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    this.#switches = this.#switches.filter(({ at }) => at > now);
    return due;
  }
}
