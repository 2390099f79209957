// Which order, without an identifier, can be the one that a request placed: all that it shows must agree. What an
// exchange leaves empty says nothing.
import { describe, expect, it } from 'vitest';
import type { Order } from '../../src/model/order.js';
import { isPlacedAs } from '../../src/model/placed-as.js';

type Kind = Parameters<typeof isPlacedAs>[0];
type Row = readonly [what: string, kind: Kind, of: Readonly<Record<string, unknown>>, order: Partial<Order>];

const request = { market: 'BTC_USDT', side: 'buy', amount: '0.010', client_order_id: 'mine' };
const limit = { ...request, price: '100' };
const tiny = { ...limit, amount: '0.00000001' };
const stopped = { ...limit, stopLoss: '90' };
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
    ['a stock market order is called a market order', 'stock market', request, { price: '0', type: 'market' }],
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
    ['a market order is called a stock market order', 'market', request, { type: 'stock market' }],
    ['a market order is called a limit order', 'market', request, { type: 'limit', price: '0' }],
    ['a limit order is called a market order', 'limit', limit, { type: 'market', price: '100' }],
    ['the stop loss differs', 'limit', stopped, linked({ stopLoss: '91' })],
    ['a stop loss was not requested', 'limit', limit, linked({ stopLoss: '90' })],
    ['a take profit was not requested', 'limit', stopped, linked({ stopLoss: '90', takeProfit: '110' })],
    ['the side differs', 'market', request, { side: 'sell' }],
    ['the market differs', 'market', request, { market: 'ETH_USDT' }],
  ])('is another one: %s', (_, kind, of, order) => {
    expect(isOrderOf(kind, of, order)).toBe(false);
  });
});

describe('an order with an identifier', () => {
  it('can be the one that was requested where it is the same, whatever the rest shows', () => {
    const order = { client_order_id: 'mine', amount: '5', price: '7' };
    expect(isOrderOf('limit', limit, order)).toBe(true);
    expect(isOrderOf('limit', { ...limit, client_order_id: 'another' }, order)).toBe(false);
  });
});
