// A moving average of the last closing prices, and whether each candle closed above or below it.
import { createExchange, watchCandles } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { distinctUntilChanged, filter, map, scan, take } from 'rxjs';

const exchange = createExchange(createSandbox().clientOptions());
const length = 3;

const closes$ = watchCandles(exchange, 'BTC_USDT', '1s', { history: length }).pipe(
  scan((closes: readonly number[], item) => {
    if (item.kind === 'gap') return []; // an average over a gap would be wrong: it starts again
    return item.kind === 'closed' ? [...closes, Number(item.candle.close)].slice(-length) : closes;
  }, []),
  distinctUntilChanged(), // current candles and failed polls change nothing
  filter((closes) => closes.length === length),
);

closes$
  .pipe(
    map((closes) => ({ close: closes.at(-1) ?? 0, average: closes.reduce((sum, close) => sum + close, 0) / length })),
    take(3),
  )
  .subscribe(({ close, average }) =>
    console.log(close.toFixed(2), close < average ? 'below' : 'not below', average.toFixed(2)),
  );
