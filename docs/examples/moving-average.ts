// A moving average of the last closing prices, and whether each candle closed above or below it. Each poll lists all
// candles that the average needs, so nothing is remembered that a failure or an outage could make wrong.
import { createExchange, poll, unreadableIn } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { distinctUntilChanged, filter, map, retry, take } from 'rxjs';

const exchange = createExchange(createSandbox().clientOptions());
const length = 3;

const candles$ = exchange.public.candles({ market: 'BTC_USDT', interval: '1s', limit: length }).pipe(
  retry({ delay: 1000 }),
  poll({ everyMs: 1000 }),
  filter((candles) => candles.length === length && unreadableIn(candles) === undefined),
  map((candles) => candles.toSorted((one, other) => one.time - other.time)),
  distinctUntilChanged((before, now) => before.at(-1)?.time === now.at(-1)?.time),
);

candles$
  .pipe(
    map((candles) => candles.map(({ close }) => Number(close))),
    map((closes) => ({ close: closes.at(-1) ?? 0, average: closes.reduce((sum, close) => sum + close, 0) / length })),
    take(3),
  )
  .subscribe(({ close, average }) =>
    console.log(close.toFixed(2), close < average ? 'below' : 'not below', average.toFixed(2)),
  );
