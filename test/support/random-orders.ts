// Requests of a bot that trades at random, on the spot market and on a perpetual one: orders of every outcome.
import type { Exchange, LiveOrder } from 'exchange-rx';
import type { Observable } from 'rxjs';

export const spotMarket = 'BTC_USDT';
export const perpetual = 'BTC_PERP';
export const tradedMarkets = [spotMarket, perpetual];

/** Orders that wait far from the price, so that they fill only when it is moved. */
const maxOpen = 20;

/** The next request: it places, modifies or cancels an order, or fills it at once. */
export function randomRequest(
  { spot, collateral, orders }: Exchange,
  random: () => number,
  open: readonly LiveOrder[],
): Observable<unknown> {
  const side = random() < 0.5 ? 'buy' : 'sell';
  const choice = random();
  const order = open[Math.floor(random() * open.length)];
  if (order !== undefined && (choice < 0.5 || open.length > maxOpen)) {
    const { market, order_id } = order;
    return choice < 0.2
      ? orders.modify({ market, order_id, price: restingPrice(order.side === 'buy', random) })
      : orders.cancel({ market, order_id });
  }
  const isFilledAtOnce = choice > 0.85;
  const price = isFilledAtOnce ? (side === 'buy' ? '66000' : '54000') : restingPrice(side === 'buy', random);
  const amount = `0.0${1 + Math.floor(random() * 9)}`;
  if (random() < 0.5) return collateral.placeLimitOrder({ market: perpetual, side, amount, price });
  return random() < 0.3
    ? spot.placeStockMarketOrder({ market: spotMarket, side, amount })
    : spot.placeLimitOrder({ market: spotMarket, side, amount, price });
}

/** A price that the moves of the tests, 1 %, reach for some of the orders. */
function restingPrice(isBuy: boolean, random: () => number): string {
  const distance = Math.floor(60 + random() * 1500);
  return String(isBuy ? 60_000 - distance : 60_000 + distance);
}
