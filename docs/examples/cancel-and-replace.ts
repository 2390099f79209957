// Keeps one quote near the price. Each round compares what is open with what is wanted: nothing is remembered, so nothing can be remembered wrongly,
// and a round that fails is made good by the next.
import { createExchange, isExchangeError, poll, roundPrice } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, concatMap, defer, EMPTY, firstValueFrom, takeUntil, timer } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';
const rules = (await firstValueFrom(exchange.public.markets())).find(({ name }) => name === market);
if (rules === undefined) throw new Error(`no market ${market}`);

const wantedPrice = () => roundPrice(rules, Number(sandbox.market(market).price()) * 0.999); // your feed, and your idea of a quote
const place = (price: string) => exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price, postOnly: true });

const round$ = defer(() => exchange.spot.openOrders({ market })).pipe(
  concatMap(([quote]) => {
    const wanted = wantedPrice();
    if (quote === undefined) return place(wanted);
    if (Math.abs(Number(quote.price) - Number(wanted)) < 5) return EMPTY;
    return exchange.spot.cancelOrder({ market, order_id: quote.order_id }).pipe(concatMap(() => place(wanted)));
  }),
  catchError((error: unknown) => {
    if (!isExchangeError(error)) throw error;
    console.warn(error.message); // such as order-not-found: it was filled before it could be canceled
    return EMPTY;
  }),
);

round$.pipe(poll({ everyMs: 100 }), takeUntil(timer(2500))).subscribe({
  next: ({ price }) => console.log('quote at', price),
  complete: () => console.log('open at the end:', sandbox.ledger.orders.filter(({ status }) => status === 'NEW').length),
});
setTimeout(() => {
  sandbox.market(market).setPrice('60500');
}, 1000);
