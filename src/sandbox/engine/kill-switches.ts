// Kill switches: when an account's orders of a market are to be canceled, unless it says otherwise before.

/** The kinds of orders that a kill switch may be restricted to. */
export const killSwitchTypes = ['spot', 'margin', 'futures'] as const;

/** One of {@link killSwitchTypes}. */
export type KillSwitchType = (typeof killSwitchTypes)[number];

/** A switch that is set. */
export interface KillSwitch {
  readonly account: string;
  readonly market: string;
  /** Which orders it cancels; `undefined`: all. */
  readonly types: readonly KillSwitchType[] | undefined;
  /** Unix ms. */
  readonly at: number;
}

export class KillSwitches {
  #switches: readonly KillSwitch[] = [];

  /** Replaces the account's switch for the market. */
  set(added: KillSwitch): void {
    this.remove(added.account, added.market);
    this.#switches = [...this.#switches, added];
  }

  /** Takes the account's switch for the market away, if there is one. */
  remove(account: string, market: string): void {
    this.#switches = this.#switches.filter((other) => other.account !== account || other.market !== market);
  }

  /** Takes those that are due by `now` (Unix ms), the earliest first. */
  take(now: number): KillSwitch[] {
    if (this.#switches.every(({ at }) => at > now)) return [];
    const due = this.#switches.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    this.#switches = this.#switches.filter(({ at }) => at > now);
    return due;
  }
}

/** What kind of order it is to a kill switch: the market tells margin from futures. */
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
