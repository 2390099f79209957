// Buys, then leaves the position to an OCO order: a limit order takes the profit, or a stop limit order limits the loss.
import { createExchange, isFilled, isUndecided, poll } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { concatMap, filter, map, retry, take } from 'rxjs';

const sandbox = createSandbox({ volatility: 0 });
const { collateral, orders } = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';
setTimeout(() => sandbox.market(market).setPrice('63100'), 300); // the profit is reached

collateral
  .placeMarketOrder({ market, side: 'buy', amount: '0.01' })
  .pipe(
    retry({ count: 3, delay: 1000 }), // still one order
    filter((order) => isFilled(order)),
    concatMap(({ deal_stock: amount = '0.01' }) =>
      collateral
        .placeOcoOrder({
          ...({ market, side: 'sell', amount, reduceOnly: true } as const),
          ...{ price: '63000', activation_price: '58000', stop_limit_price: '57900' },
        })
        .pipe(retry({ count: 3, delay: 1000 })),
    ),
    // The first of its two orders that is filled ends the other.
    concatMap(({ client_order_id }) =>
      orders.history({ market, client_order_id }).pipe(
        map((byMarket) => (byMarket[market] ?? []).find((order) => isFilled(order))),
        retry({ delay: 100 }), // the history rejects an identifier that it does not have yet
        poll({ everyMs: 100 }),
        filter((order) => order !== undefined),
        take(1),
      ),
    ),
  )
  .subscribe({
    next: ({ type, deal_stock, deal_money }) => console.log('closed by', type, deal_stock, 'for', deal_money),
    error: (error: unknown) => console.error(isUndecided(error) ? 'look it up before trading on' : 'failed', error),
  });
