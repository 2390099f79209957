// Keeps one quote near the price of each market. Each round compares the open orders with the wanted quote, so nothing
// is remembered that could become wrong, and a failed round is repaired by the next. Only orders with the prefix `own`
// are touched. The rounds of a market wait for its order: after a lost response the order is looked up for up to 30 s.
import { createExchange, isExchangeError, placeEach, roundPrice, unreadableIn, type Market } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  exhaustMap,
  from,
  ignoreElements,
  map,
  mergeMap,
  of,
  takeUntil,
  timer,
} from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const own = 'quoter-';
const amounts: Readonly<Record<string, string>> = { BTC_USDT: '0.01', ETH_USDT: '0.1' };
const inDoubt = new Set<string>(); // markets that may hold an order of unknown outcome
let quotes = 0;

// Connect your feed here.
const wantedPrice = (market: Market) => roundPrice(market, Number(sandbox.market(market.name).price()) * 0.999);

function place(market: string, price: string) {
  quotes += 1;
  const client_order_id = `${own}${Date.now()}-${quotes}`;
  const amount = amounts[market] ?? '0';
  return exchange.collateral.placeLimitOrder({ market, side: 'buy', amount, price, postOnly: true, client_order_id });
}

function round(rules: Market) {
  const market = rules.name;
  return defer(() => exchange.orders.open({ market, limit: 100 })).pipe(
    concatMap((orders) => {
      const wanted = wantedPrice(rules);
      const open = orders.filter(({ client_order_id }) => client_order_id.startsWith(own));
      const [kept] = open.filter(({ price }) => Math.abs(Number(price) / Number(wanted) - 1) < 0.0001);
      const others = open.filter((quote) => quote !== kept);
      const canceled$ = from(others).pipe(concatMap(({ order_id }) => exchange.orders.cancel({ market, order_id })));
      // A partial list may lack the kept quote: place nothing because of it.
      const isMissing = kept === undefined && unreadableIn(orders) === undefined;
      return concat(canceled$.pipe(ignoreElements()), isMissing ? of(wanted) : EMPTY);
    }),
    catchError((error: unknown) => {
      if (!isExchangeError(error)) throw error;
      console.warn(error.message); // for example order-not-found: the quote was filled before it could be canceled
      return EMPTY;
    }),
    placeEach((price) => place(market, price)),
    map((result) => ({ ...result, market })),
  );
}

exchange.public
  .markets()
  .pipe(
    mergeMap((markets) => markets.filter(({ name }) => name in amounts)),
    mergeMap((rules) =>
      timer(0, 100).pipe(
        takeUntil(timer(2500)), // before the rounds: an order in flight is waited for
        exhaustMap(() => (inDoubt.has(rules.name) ? EMPTY : round(rules))),
      ),
    ),
  )
  .subscribe({
    next: (result) => {
      if (result.outcome === 'placed') console.log(result.market, 'quote at', result.intent);
      else console.warn(result.market, result.outcome, result.error.message);
      // The order may be open although no list shows it yet: quote no more here until orders.find reports its outcome.
      if (result.outcome === 'unknown') inDoubt.add(result.market);
    },
    complete: () =>
      console.log('open at the end:', sandbox.ledger.orders.filter(({ status }) => status === 'NEW').length),
  });
setTimeout(() => sandbox.market('BTC_USDT').setPrice('60500'), 1000);
