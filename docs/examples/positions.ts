// Shows the open positions with their profit, and the equity of the account whenever they change.
import { createExchange, watchPositions } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { concatMap, filter, map, retry, take } from 'rxjs';

const sandbox = createSandbox({ volatility: 0 });
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT'; // margin; BTC_PERP would be futures

watchPositions(exchange, { everyMs: 50 })
  .pipe(
    filter(({ changes, stale }) => changes.length > 0 && !stale),
    concatMap(({ positions }) =>
      exchange.collateral.summary().pipe(
        retry({ delay: 1000 }),
        map(({ equity }) => ({ positions, equity })),
      ),
    ),
    take(2),
  )
  .subscribe(({ positions, equity }) => {
    for (const { amount, basePrice, unrealizedPnl } of positions.values())
      console.log(market, amount, 'from', basePrice, 'profit', unrealizedPnl, 'equity', equity);
  });

setTimeout(() => {
  exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.1', price: '61000' }).subscribe();
}, 200);
setTimeout(() => sandbox.market(market).setPrice('60500'), 600);
