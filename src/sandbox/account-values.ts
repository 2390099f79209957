// Balances and positions of an account as texts, the same ones over REST and on the real-time interface.
import { decimal, formatDecimal } from '../model/decimal.js';
import type { Books } from './books.js';
import type { Engine, OpenPosition } from './engine/index.js';

export interface AccountSource {
  readonly engine: Pick<Engine, 'frozen' | 'collateralAccount'>;
  readonly books: Pick<Books, 'balance'>;
}

export function spotBalanceOf({ engine, books }: AccountSource, account: string, asset: string) {
  const freeze = engine.frozen(account, asset);
  return {
    available: formatDecimal(books.balance(account, 'trade', asset).minus(freeze)),
    freeze: formatDecimal(freeze),
  };
}

/** The balance of an asset in the collateral account. The sandbox lends nothing. */
export function collateralBalanceOf({ engine, books }: AccountSource, account: string, asset: string) {
  const { money, freeMargin } = engine.collateralAccount(account);
  const balance = formatDecimal(books.balance(account, 'collateral', asset));
  return { balance, borrow: '0', available: asset === money ? formatDecimal(freeMargin) : balance };
}

const pricePlaces = 8;

/** An open position. Perpetuals pay their funding from the balance. */
export function positionValuesOf({ position, margin, unrealizedPnl, liquidationPrice }: OpenPosition) {
  const { amount, cost, profit } = position;
  return {
    amount: formatDecimal(amount),
    value: formatDecimal(decimal(cost.plus(unrealizedPnl)).abs()),
    basePrice: formatDecimal(cost.dividedBy(amount).decimalPlaces(pricePlaces)),
    liquidationPrice:
      liquidationPrice === undefined ? null : formatDecimal(liquidationPrice.decimalPlaces(pricePlaces)),
    margin: formatDecimal(margin),
    unrealizedPnl: formatDecimal(unrealizedPnl),
    realizedPnl: formatDecimal(profit),
    funding: '0',
    unrealizedFunding: '0',
  };
}
