// Shows the open positions with their profit, and the equity of the account whenever they change.
import { createExchange, poll } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { concatMap, distinctUntilChanged, filter, map, retry, take } from 'rxjs';

const sandbox = createSandbox({ volatility: 0 });
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT'; // margin; BTC_PERP would be futures

exchange.collateral
  .openPositions({ market })
  .pipe(
    retry({ delay: 1000 }),
    poll({ everyMs: 50 }),
    filter((positions) => positions.length > 0),
    distinctUntilChanged((before, now) => JSON.stringify(before) === JSON.stringify(now)),
    concatMap((positions) =>
      exchange.collateral.summary().pipe(
        retry({ delay: 1000 }),
        map(({ equity }) => ({ positions, equity })),
      ),
    ),
    take(2),
  )
  .subscribe(({ positions, equity }) => {
    for (const { amount, basePrice, unrealizedPnl } of positions)
      console.log(market, amount, 'from', basePrice, 'profit', unrealizedPnl, 'equity', equity);
  });

exchange.collateral
  .placeLimitOrder({ market, side: 'buy', amount: '0.1', price: '61000' })
  .subscribe(() => setTimeout(() => sandbox.market(market).setPrice('60500'), 400));
