// Which order, without an identifier, can be the one that a request placed: all that it shows must agree. What an
// exchange leaves empty says nothing.
import type { Endpoint } from 'exchange-rx';
import { collateral, spot } from 'exchange-rx/endpoints';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { Order } from '../../src/model/order.js';
import { isPlacedAs } from '../../src/model/placed-as.js';

type Kind = Parameters<typeof isPlacedAs>[0];
type Row = readonly [what: string, kind: Kind, of: Readonly<Record<string, unknown>>, order: Partial<Order>];

const request = { market: 'BTC_USDT', side: 'buy', amount: '0.010', client_order_id: 'mine' };
const limit = { ...request, price: '100' };
const tiny = { ...limit, amount: '0.00000001' };
const stopped = { ...limit, stopLoss: '90' };
const best = { ...request, bboRole: 1 };
const trigger = { ...limit, activation_price: '110' };
const linked = (oto: NonNullable<Order['oto']>) => ({ price: '100', oto });
const response: Order = { order_id: 1, client_order_id: '', market: 'BTC_USDT', side: 'buy', amount: '0.01' };

const isOrderOf = (kind: Kind, of: Readonly<Record<string, unknown>>, order: Partial<Order>) =>
  isPlacedAs(kind)(of, { ...response, ...order });

describe('an order without an identifier', () => {
  it.each<Row>([
    ['amount and price are equal by value', 'limit', limit, { price: '100.00' }],
    ['the amount is written with an exponent', 'limit', tiny, { price: '100', amount: '1e-8' }],
    ['the type is new', 'limit', limit, { price: '100', type: 'normalization' }],
    ['a market order has no price', 'market', request, {}],
    ['a market order has an empty price', 'market', request, { price: '' }],
    ['a market order has a price of zero', 'market', request, { price: '0.00' }],
    ['a market order shows its average price', 'market', request, { price: '60001.5', type: 'market' }],
    ['a market order of a collateral account shows it', 'market', request, { price: '60001.5', type: 'margin market' }],
    ['a stock market order shows it', 'stock market', request, { price: '60001.5', type: 'stock market' }],
    ['its price is the best of the book', 'limit', best, { price: '99.5', type: 'limit' }],
    ['a stop order shows what activates it', 'stop limit', trigger, { price: '100', activation_price: '110.0' }],
    ['linked orders agree', 'limit', { ...stopped, takeProfit: '7' }, linked({ stopLoss: '90', takeProfit: '7.0' })],
    ['it has a direction that was not requested', 'limit', limit, { price: '100', positionSide: 'LONG' }],
    ['its direction was ignored', 'limit', { ...limit, positionSide: 'LONG' }, { price: '100', positionSide: 'BOTH' }],
    ['the take profit that was not requested is empty', 'limit', stopped, linked({ stopLoss: '90.0', takeProfit: '' })],
    ['the take profit that was not requested is zero', 'limit', stopped, linked({ stopLoss: '90', takeProfit: '0' })],
    ['the linked order shows its number only', 'limit', stopped, linked({ otoId: 7 })],
    ['no linked order is shown', 'limit', stopped, { price: '100' }],
  ])('can be the one that was requested: %s', (_, kind, of, order) => {
    expect(isOrderOf(kind, of, order)).toBe(true);
  });

  it.each<Row>([
    ['the amount differs', 'limit', limit, { price: '100', amount: '0.02' }],
    ['there is no amount', 'market', request, { amount: undefined }],
    ['the amount is empty', 'market', request, { amount: '' }],
    ['the price differs', 'limit', limit, { price: '101' }],
    ['a limit order shows no price', 'limit', limit, {}],
    ['a limit order has an empty price', 'limit', limit, { price: '' }],
    ['a limit order has a price of zero', 'limit', limit, { price: '0' }],
    ['a market order is of no type, and has a price as a limit order does', 'market', request, { price: '100' }],
    ['a market order is of a new type, and has one', 'stock market', request, { price: '100', type: 'normalization' }],
    ['the activation price differs', 'stop limit', trigger, { price: '100', activation_price: '111' }],
    ['an activation price was not requested', 'limit', limit, { price: '100', activation_price: '110' }],
    ['the direction differs', 'limit', { ...limit, positionSide: 'LONG' }, { price: '100', positionSide: 'SHORT' }],
    ['the stop loss differs', 'limit', stopped, linked({ stopLoss: '91' })],
    ['a stop loss was not requested', 'limit', limit, linked({ stopLoss: '90' })],
    ['a take profit was not requested', 'limit', stopped, linked({ stopLoss: '90', takeProfit: '110' })],
    ['the side differs', 'market', request, { side: 'sell' }],
    ['the market differs', 'market', request, { market: 'ETH_USDT' }],
  ])('is another one: %s', (_, kind, of, order) => {
    expect(isOrderOf(kind, of, order)).toBe(false);
  });
});

it('an order with an identifier can be the one that was requested where it is the same, whatever the rest shows', () => {
  const order = { client_order_id: 'mine', amount: '5', price: '7' };
  expect(isOrderOf('limit', limit, order)).toBe(true);
  expect(isOrderOf('limit', { ...limit, client_order_id: 'another' }, order)).toBe(false);
});

/** By the types that their orders may have. */
const placing: Readonly<Record<string, readonly Endpoint[]>> = {
  'limit, margin limit': [spot.placeLimitOrder, collateral.placeLimitOrder],
  'market, margin market': [spot.placeMarketOrder, collateral.placeMarketOrder],
  'market, stock market': [spot.placeStockMarketOrder],
  'stop limit, margin stop limit': [spot.placeStopLimitOrder, collateral.placeStopLimitOrder],
  'stop market, trigger stop market, trigger margin market': [
    ...[spot.placeStopMarketOrder, collateral.placeTriggerMarketOrder],
  ],
};
const ofEndpoints = Object.entries(placing).flatMap(([types, endpoints]) =>
  endpoints.map((endpoint) => ({ endpoint, own: types.split(', ') })),
);

it.each(ofEndpoints)('an order by $endpoint.name is of one of its types, or of a new one', ({ endpoint, own }) => {
  const order = { ...response, price: '100', activation_price: '110' };
  const isOfType = (type: string) => endpoint.matchesRequest?.(trigger, { ...order, type }) === true;
  const known = new Set(ofEndpoints.flatMap((one) => one.own));
  expect([...known, 'normalization'].filter(isOfType)).toEqual([...own, 'normalization']);
});

describe('an OCO order without an identifier', () => {
  const { placeOcoOrder } = collateral;
  const of = { ...limit, activation_price: '120', stop_limit_price: '121' };
  const take_profit = { ...response, type: 'margin limit', price: '100.0' };
  const stop_loss = { ...response, type: 'margin stop limit', price: '121', activation_price: '120.00' };
  const isOcoOf = (changes: object) =>
    placeOcoOrder.matchesRequest?.(of, v.parse(placeOcoOrder.response, { take_profit, stop_loss, ...changes }));

  it.each([
    ['the prices are equal by value', {}],
    ['the activation price is missing', { stop_loss: { ...stop_loss, activation_price: null } }],
    ['one of its orders is missing', { stop_loss: null }],
    ['a type is new', { take_profit: { ...take_profit, type: 'normalization' } }],
  ])('can be the one that was requested: %s', (_, changes) => {
    expect(isOcoOf(changes)).toBe(true);
  });

  it.each([
    ['the amount differs', { take_profit: { ...take_profit, amount: '5' } }],
    ['the price differs', { take_profit: { ...take_profit, price: '101' } }],
    ['the price of its stop order differs', { stop_loss: { ...stop_loss, price: '120' } }],
    ['the activation price differs', { stop_loss: { ...stop_loss, activation_price: '119' } }],
    ['its orders are exchanged', { take_profit: stop_loss, stop_loss: take_profit }],
    ['the side differs', { stop_loss: { ...stop_loss, side: 'sell' } }],
    ['the market differs', { stop_loss: { ...stop_loss, market: 'ETH_USDT' } }],
    ['the identifier of one of its orders is another', { stop_loss: { ...stop_loss, client_order_id: 'other' } }],
  ])('is another one: %s', (_, changes) => {
    expect(isOcoOf(changes)).toBe(false);
  });
});
