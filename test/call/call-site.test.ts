// Where an error of a call says that the call was made.
import { asPromises, createExchange } from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { createSandbox } from 'exchange-rx/sandbox';
import { lastValueFrom, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { CallWarnings } from '../../src/call/index.js';

const sandbox = createSandbox();
const exchange = createExchange({ ...sandbox.clientOptions(), retry: false });
const calls = asPromises(exchange);
const market = 'BTC_USDT';

async function errorOf(call: Observable<unknown> | Promise<unknown>): Promise<Error> {
  try {
    await (call instanceof Promise ? call : lastValueFrom(call));
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('the call did not fail');
}

describe('the stack of an error', () => {
  it.each<[string, () => Observable<unknown> | Promise<unknown>]>([
    ['a request that is invalid', () => exchange.orders.cancel({ market, order_id: -1 })],
    ['a read that the exchange rejects', () => exchange.orders.dealsOfOrder({ order_id: 1, limit: 0 })],
    ['a change that the exchange rejects', () => exchange.orders.cancel({ market, order_id: 1 })],
    ['an order', () => exchange.spot.placeStockMarketOrder({ market, side: 'sell', amount: '99999' })],
    ['an order that is invalid', () => exchange.spot.placeStockMarketOrder({ market, side: 'sell', amount: '-1' })],
    ['a lookup', () => exchange.orders.find({ market, client_order_id: '' })],
    ['a call of an endpoint', () => exchange.call(endpoints.orders.cancel, { market, order_id: 1 })],
    ['a call with promises', () => calls.orders.cancel({ market, order_id: 1 })],
  ])('of %s begins with the line that made the call', async (_, call) => {
    const { name, message, stack = '' } = await errorOf(call());
    const [header, first = ''] = stack.split('\n');
    expect(header).toBe(`${name}: ${message}`);
    expect(first).toMatch(/^ +at .*call-site\.test\.ts/);
  });

  it('has the lines that led to the call, and none of this package', async () => {
    const placeTwice = () => exchange.orders.cancel({ market, order_id: 1 });
    const { stack = '' } = await errorOf(placeTwice());
    expect(stack).toContain('at placeTwice');
    expect(stack).not.toMatch(/[/]src[/]/);
  });

  it('is not one of an error that another call holds, too', async () => {
    const cancel = () => exchange.orders.cancel({ market, order_id: 1 });
    const again = () => exchange.orders.cancel({ market, order_id: 1 });
    const [one, other] = await Promise.all([errorOf(cancel()), errorOf(again())]);
    expect(one.stack).toContain('at cancel');
    expect(other.stack).toContain('at again');
  });

  it('costs no longer traces of the program', async () => {
    const before = Error.stackTraceLimit;
    await errorOf(exchange.orders.cancel({ market, order_id: 1 }));
    expect(Error.stackTraceLimit).toBe(before);
  });

  it('is captured for the first 400 calls of a second', () => {
    const places = new CallWarnings(process);
    function method() {
      return places.siteOf(method);
    }
    const sites = Array.from({ length: 801 }, () => method());
    expect([sites[399], sites[400]].map((site) => site?.frames !== '')).toEqual([true, false]);
  });
});
