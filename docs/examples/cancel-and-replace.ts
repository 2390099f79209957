// Keeps one quote near the price. Each round compares what is open with what is wanted: nothing is remembered, so nothing can be remembered wrongly,
// and a round that fails is made good by the next. Only orders of its own, by their identifier, are touched.
import { createExchange, isExchangeError, roundPrice } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, concat, concatMap, defer, EMPTY, exhaustMap, firstValueFrom, from, ignoreElements, takeUntil, timer } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';
const own = 'quoter-';
let quotes = 0;
const rules = (await firstValueFrom(exchange.public.markets())).find(({ name }) => name === market);
if (rules === undefined) throw new Error(`no market ${market}`);

const wantedPrice = () => roundPrice(rules, Number(sandbox.market(market).price()) * 0.999); // your feed, and your idea of a quote
const place = (price: string) => {
  quotes += 1;
  const client_order_id = `${own}${Date.now()}-${quotes}`;
  return exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price, postOnly: true, client_order_id });
};

const round$ = defer(() => exchange.spot.openOrders({ market, limit: 100 })).pipe(
  concatMap((orders) => {
    const wanted = wantedPrice();
    const quotesOpen = orders.filter(({ client_order_id }) => client_order_id.startsWith(own));
    const [kept] = quotesOpen.filter(({ price }) => Math.abs(Number(price) - Number(wanted)) < 5);
    const others = quotesOpen.filter((quote) => quote !== kept);
    const canceled$ = from(others).pipe(concatMap(({ order_id }) => exchange.spot.cancelOrder({ market, order_id })));
    return concat(canceled$.pipe(ignoreElements()), kept === undefined ? defer(() => place(wanted)) : EMPTY);
  }),
  catchError((error: unknown) => {
    // An order of unknown outcome may be in the book, and not be seen by the next round: stop, and look.
    if (!isExchangeError(error) || (error.outcome === 'unknown' && error.client_order_id !== undefined)) throw error;
    console.warn(error.message); // such as order-not-found: it was filled before it could be canceled
    return EMPTY;
  }),
);

// What ends it ends the rounds, not the one under way: an order on its way is followed to its end.
timer(0, 100)
  .pipe(
    takeUntil(timer(2500)),
    exhaustMap(() => round$),
  )
  .subscribe({
    next: ({ price }) => console.log('quote at', price),
    complete: () => console.log('open at the end:', sandbox.ledger.orders.filter(({ status }) => status === 'NEW').length),
  });
setTimeout(() => {
  sandbox.market(market).setPrice('60500');
}, 1000);
