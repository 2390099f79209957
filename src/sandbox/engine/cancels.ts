// Cancels of open orders: one, several, or those of a kill switch, which an account has to reset in time.
import type { PositionSide } from '../../model/order.js';
import type { EngineTime } from '../clock.js';
import type { LedgerOrder } from '../ledger.js';
import { admitMarket, notFound } from './admission.js';
import type { BookOrder, NewOrder } from './book-order.js';
import type { Markets } from './markets.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { OrderReference, Orders } from './orders.js';

export const killSwitchTypes = ['spot', 'margin', 'futures'] as const;

export type KillSwitchType = (typeof killSwitchTypes)[number];

interface CancelFilter {
  readonly market?: string | undefined;
  readonly types?: readonly KillSwitchType[] | undefined;
  readonly positionSide?: PositionSide | undefined;
}

export interface KillSwitch {
  readonly account: string;
  readonly market: string;
  /** The kinds of orders to cancel; `undefined` cancels all. */
  readonly types: readonly KillSwitchType[] | undefined;
  readonly setAt: number;
  /** When it cancels. */
  readonly at: number;
}

export class Cancels {
  readonly #killSwitches = new Map<string, KillSwitch>();

  constructor(
    private readonly time: Pick<EngineTime, 'now'>,
    private readonly lifecycle: OrderLifecycle,
    private readonly orders: Orders,
    private readonly markets: Pick<Markets, 'find'>,
  ) {}

  one(account: string, market: string, reference: OrderReference): LedgerOrder {
    const order = this.orders.openOrder(account, market, reference);
    this.lifecycle.finish(order);
    return order.view();
  }

  all(account: string, { market, types, positionSide }: CancelFilter): void {
    this.#finish(
      ({ init }) =>
        init.account === account &&
        (market === undefined || init.market === market) &&
        types?.includes(killSwitchTypeOf(init)) !== false &&
        (positionSide === undefined || (init.positionSide ?? 'BOTH') === positionSide),
    );
  }

  /** An OTO order with its stop orders; by the field `id`, both orders of an OCO order, too. */
  conditional(account: string, market: string, id: number, field: 'id' | 'otoId'): void {
    const count = this.#finish(({ init }) => {
      const numbers = [init.oto?.otoId, init.childOf, ...(field === 'id' ? [init.ocoId] : [])];
      return init.account === account && init.market === market && numbers.includes(id);
    });
    if (count === 0) throw notFound(field);
  }

  delist(market: string): void {
    this.#finish(({ init }) => init.market === market, 'DELISTING');
  }

  setKillSwitch(account: string, market: string, seconds: number | undefined, types?: readonly KillSwitchType[]) {
    admitMarket(this.markets.find(market), 'either');
    const key = JSON.stringify([account, market]);
    this.#killSwitches.delete(key);
    if (seconds === undefined) return undefined;
    const setAt = this.time.now();
    const made: KillSwitch = { account, market, types, setAt, at: setAt + seconds * 1000 };
    this.#killSwitches.set(key, made);
    return made;
  }

  killSwitches(account: string): KillSwitch[] {
    return [...this.#killSwitches.values()].filter((one) => one.account === account);
  }

  /** Removes and returns the kill switches that are due by `now`, the earliest first. */
  takeKillSwitches(now: number): KillSwitch[] {
    const due = [...this.#killSwitches]
      .filter(([, { at }]) => at <= now)
      .sort(([, one], [, other]) => one.at - other.at);
    for (const [key] of due) this.#killSwitches.delete(key);
    return due.map(([, one]) => one);
  }

  /** Ends the open orders that match, those that an ending order places included; returns their number. */
  #finish(matches: (order: BookOrder) => boolean, status?: 'DELISTING'): number {
    let count = 0;
    for (const order of this.orders.allOpen) {
      if (!matches(order)) continue;
      this.lifecycle.finish(order, status);
      count += 1;
    }
    return count;
  }
}

function killSwitchTypeOf({ collateral, market }: Pick<NewOrder, 'collateral' | 'market'>): KillSwitchType {
  if (!collateral) return 'spot';
  return market.endsWith('_PERP') ? 'futures' : 'margin';
}
