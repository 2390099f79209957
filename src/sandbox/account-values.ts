// Balances and positions of an account, the same ones over REST and on the real-time interface.
import { decimal } from '../model/decimal.js';
import type { Books } from './books.js';
import type { Engine, OpenPosition } from './engine/index.js';

export interface AccountSource {
  readonly engine: Pick<Engine, 'frozen' | 'margin'>;
  readonly books: Pick<Books, 'balance'>;
}

export function spotBalanceOf({ engine, books }: AccountSource, account: string, asset: string) {
  const freeze = engine.frozen(account, asset);
  return { available: books.balance(account, 'trade', asset).minus(freeze), freeze };
}

/** The balance of an asset in the collateral account. The sandbox lends nothing. */
export function collateralBalanceOf({ engine, books }: AccountSource, account: string, asset: string) {
  const { money, freeMargin } = engine.margin.status(account);
  const balance = books.balance(account, 'collateral', asset);
  return { balance, borrow: '0', available: asset === money ? freeMargin : balance };
}

const pricePlaces = 8;

/** An open position. Perpetuals pay their funding from the balance. */
export function positionValuesOf({ position, margin, unrealizedPnl, liquidationPrice }: OpenPosition) {
  const { amount, cost, profit } = position;
  return {
    ...{ amount, margin, unrealizedPnl, realizedPnl: profit, funding: '0', unrealizedFunding: '0' },
    value: decimal(cost.plus(unrealizedPnl)).abs(),
    basePrice: cost.dividedBy(amount).decimalPlaces(pricePlaces),
    liquidationPrice: liquidationPrice?.decimalPlaces(pricePlaces) ?? null,
  };
}
