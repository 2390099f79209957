// Keeps one quote near the price of each market. Each round compares what is open with what is wanted: nothing is remembered, so nothing can be
// remembered wrongly, and a round that fails is made good by the next. Only orders of its own, by their identifier, are touched.
// The rounds of a market wait for its order: when a response is lost, looking the order up takes up to 30 s. The other markets go on meanwhile.
import { createExchange, isExchangeError, placeEach, roundPrice, unreadableIn } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, concat, concatMap, defer, EMPTY, exhaustMap, firstValueFrom, from, ignoreElements, map, mergeMap, of, takeUntil, timer } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const own = 'quoter-';
let quotes = 0;
const amounts: Readonly<Record<string, string>> = { BTC_USDT: '0.01', ETH_USDT: '0.1' };
const markets = (await firstValueFrom(exchange.public.markets())).filter(({ name }) => name in amounts);
const inDoubt = new Set<string>();

const wantedPrice = (market: (typeof markets)[number]) => roundPrice(market, Number(sandbox.market(market.name).price()) * 0.999); // your feed, your idea of a quote
const place = (market: string, price: string) => {
  quotes += 1;
  const client_order_id = `${own}${Date.now()}-${quotes}`;
  return exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: amounts[market] ?? '0', price, postOnly: true, client_order_id });
};

const round = (rules: (typeof markets)[number]) => {
  const market = rules.name;
  return defer(() => exchange.orders.open({ market, limit: 100 })).pipe(
    concatMap((orders) => {
      const wanted = wantedPrice(rules);
      const quotesOpen = orders.filter(({ client_order_id }) => client_order_id.startsWith(own));
      const [kept] = quotesOpen.filter(({ price }) => Math.abs(Number(price) / Number(wanted) - 1) < 0.0001);
      const others = quotesOpen.filter((quote) => quote !== kept);
      const canceled$ = from(others).pipe(concatMap(({ order_id }) => exchange.orders.cancel({ market, order_id })));
      // A list without the records that could not be read may lack the quote that is kept: nothing is placed by it.
      const isMissing = kept === undefined && unreadableIn(orders) === undefined;
      return concat(canceled$.pipe(ignoreElements()), isMissing ? of(wanted) : EMPTY);
    }),
    catchError((error: unknown) => {
      if (!isExchangeError(error)) throw error;
      console.warn(error.message); // such as order-not-found: it was filled before it could be canceled
      return EMPTY;
    }),
    placeEach((price) => place(market, price)),
  );
};

// What ends it ends the rounds, not the one under way: an order on its way is followed to its end.
const result$ = from(markets).pipe(
  mergeMap((rules) =>
    timer(0, 100).pipe(
      takeUntil(timer(2500)),
      exhaustMap(() => (inDoubt.has(rules.name) ? EMPTY : round(rules).pipe(map((result) => ({ ...result, market: rules.name }))))),
    ),
  ),
);
result$.subscribe({
  next: (result) => {
    if (result.outcome === 'placed') console.log(result.market, 'quote at', result.intent);
    else console.warn(result.market, result.outcome, result.error.message);
    // It may be in the book, and not be seen by the next round: no more quotes here until resumeOrder() has found it out.
    if (result.outcome === 'unknown') inDoubt.add(result.market);
  },
  complete: () => console.log('open at the end:', sandbox.ledger.orders.filter(({ status }) => status === 'NEW').length),
});
setTimeout(() => {
  sandbox.market('BTC_USDT').setPrice('60500');
}, 1000);
