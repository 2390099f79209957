// Watches the funding rate of a perpetual, and reports each change until it is charged. The exchange does not say in
// which unit its rates are: compare one with its website before you decide by it.
import { createExchange, poll } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { distinctUntilChanged, filter, map, pairwise, retry, startWith, take } from 'rxjs';

const markets = [{ name: 'BTC_USDT', price: '60000' }, { name: 'BTC_PERP', price: '60030' }];
const sandbox = createSandbox({ markets, volatility: 0 });
const exchange = createExchange(sandbox.clientOptions());
setTimeout(() => sandbox.market('BTC_PERP').setPrice('60090'), 200); // further from its index

exchange.public
  .futuresMarkets()
  .pipe(
    retry({ delay: 1000 }),
    poll({ everyMs: 50 }), // 1000 on the exchange, which refreshes them every second
    map((perpetuals) => perpetuals.find(({ ticker_id }) => ticker_id === 'BTC_PERP')),
    filter((perpetual) => perpetual?.funding_rate !== undefined),
    distinctUntilChanged((before, after) => before?.funding_rate === after?.funding_rate),
    startWith(undefined),
    pairwise(),
    take(2),
  )
  .subscribe(([before, after]) => {
    const at = new Date(Number(after?.next_funding_rate_timestamp)); // milliseconds, unlike all other times
    console.log(before?.funding_rate ?? 'unknown', '→', after?.funding_rate, 'at', at.toISOString());
  });
