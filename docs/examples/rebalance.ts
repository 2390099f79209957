// Holds half of the worth in BTC: trades the difference when it is off by more than one percent. What is held follows from what was filled.
import { createExchange, roundAmount, type Order } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { concatMap, from, firstValueFrom, map, mergeScan, of } from 'rxjs';

const sandbox = createSandbox({ volatility: 0 });
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';
const rules = (await firstValueFrom(exchange.public.markets())).find(({ name }) => name === market);
if (rules === undefined) throw new Error(`no market ${market}`);

interface Holdings {
  readonly stock: number;
  readonly money: number;
}

function after({ stock, money }: Holdings, { side, deal_stock, deal_money, deal_fee }: Order): Holdings {
  const sign = side === 'buy' ? 1 : -1;
  return { stock: stock + sign * Number(deal_stock), money: money - sign * Number(deal_money) - Number(deal_fee) }; // fees are in money
}

const rebalance = (holdings: Holdings, price: number) => {
  const worth = holdings.stock * price + holdings.money;
  const lacking = worth / 2 - holdings.stock * price;
  if (Math.abs(lacking) < worth * 0.01) return of(holdings);
  const amount = roundAmount(rules, Math.abs(lacking) / price);
  return exchange.spot.placeStockMarketOrder({ market, side: lacking > 0 ? 'buy' : 'sell', amount }).pipe(map((order) => after(holdings, order)));
};

const price$ = from(['60000', '60100', '66000', '54000']).pipe(
  concatMap((price) => {
    sandbox.market(market).setPrice(price); // your feed
    return of(Number(price));
  }),
);

// One at a time: a decision is made of what the one before it came to. A lost response costs up to 30 s without a decision: the order is looked up.
price$.pipe(mergeScan(rebalance, { stock: 1, money: 60_000 }, 1)).subscribe(({ stock, money }) => console.log(stock.toFixed(4), 'BTC and', money.toFixed(0), 'USDT'));
