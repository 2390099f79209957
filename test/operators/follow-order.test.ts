import { filled, followOrder, type LiveOrder, type OrderChange } from 'exchange-rx';
import { NEVER, throwError, type Observable } from 'rxjs';
import { describe, it } from 'vitest';
import { marbles } from '../support/marbles.js';

const order = (fields: Partial<LiveOrder> = {}): LiveOrder => ({
  ...{ order_id: 1, client_order_id: 'a', market: 'BTC_USDT', side: 'buy', status: 'OPEN', amount: '3', left: '3' },
  ...{ deal_stock: '0', deal_money: '0', deal_fee: '0' },
  ...fields,
});
const change = (kind: 'updated' | 'ended', one: LiveOrder): OrderChange => ({
  ...{ kind, market: one.market, order: one, via: 'push' },
});

const placed = order();
const partial = order({ status: 'PARTIALLY_FILLED', deal_stock: '1', deal_money: '60000', deal_fee: '60' });
const full = order({ status: 'FILLED', deal_stock: '3', deal_money: '180001', deal_fee: '180.001', feeAsset: 'USDT' });
const canceled = order({ status: 'CANCELED', deal_stock: '1', deal_money: '60000', deal_fee: '60' });
const modified = order({ order_id: 2, amount: '2', left: '2' });
const modifiedFull = order({
  order_id: 2,
  status: 'FILLED',
  deal_stock: '2',
  deal_money: '120002',
  deal_fee: '120.002',
});

const orders = { o: placed, p: partial, f: full, m: modified, g: modifiedFull };
const changes = {
  p: change('updated', partial),
  f: change('ended', full),
  c: change('ended', canceled),
  g: change('ended', modifiedFull),
  m: {
    ...{ kind: 'modified', market: 'BTC_USDT', order: modified, via: 'push', replaces: 1, before: canceled },
  } satisfies OrderChange,
};

const following = (changes$: Observable<OrderChange>) => ({ live: { my: { follow: () => changes$ } } });

describe('followOrder', () => {
  it('emits the placed order and its states, and ends with its end', () => {
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold('--p--(f|)', changes));
      expectObservable(cold('-o|', orders).pipe(followOrder(exchange))).toBe('-o-p--(f|)', orders);
    });
  });

  it('goes on with the order that the placed one is modified to', () => {
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold('--m--(g|)', changes));
      expectObservable(cold('-o|', orders).pipe(followOrder(exchange))).toBe('-o-m--(g|)', orders);
    });
  });

  it('follows no order that had ended in its response', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-f|', orders).pipe(followOrder(following(NEVER)))).toBe('-f|', orders);
    });
  });

  it('follows several orders at once, and fails as the connection does', () => {
    const error = new Error('refused');
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold('--p---(f|)', changes));
      expectObservable(cold('-o---o|', orders).pipe(followOrder(exchange))).toBe('-o-p-o-(fp)(f|)', orders);
      expectObservable(cold('-o-', orders).pipe(followOrder(following(throwError(() => error))))).toBe(
        '-(o#)',
        orders,
        error,
      );
    });
  });

  it('passes the error of the order on, and ends the subscription of both when it is unsubscribed', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const changes$ = cold('--p---', changes);
      expectObservable(cold('-#', orders).pipe(followOrder(following(NEVER)))).toBe('-#');
      expectObservable(cold('-o|', orders).pipe(followOrder(following(changes$))), '-----!').toBe('-o-p', orders);
      expectSubscriptions(changes$.subscriptions).toBe('-^---!');
    });
  });
});

describe('filled', () => {
  it('emits amount, money, average price and fees at the end of the order', () => {
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold('--p--(f|)', changes));
      expectObservable(cold('-o|', orders).pipe(filled(exchange))).toBe('------(r|)', {
        r: {
          ...{ order: full, amount: '3', money: '180001', averagePrice: '60000.333333333333333333', fee: '180.001' },
          feeAsset: 'USDT',
        },
      });
    });
  });

  it('adds up the parts of a modified order', () => {
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold('--m--(g|)', changes));
      expectObservable(cold('-o|', orders).pipe(filled(exchange))).toBe('------(r|)', {
        r: {
          ...{ order: modifiedFull, amount: '3', money: '180002', averagePrice: '60000.666666666666666667' },
          fee: '180.002',
        },
      });
    });
  });

  it('has no average price when nothing was filled', () => {
    const unfilled = order({ status: 'CANCELED' });
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold('-(c|)', { c: change('ended', unfilled) }));
      expectObservable(cold('-o|', orders).pipe(filled(exchange))).toBe('--(r|)', {
        r: { order: unfilled, amount: '0', money: '0', fee: '0' },
      });
    });
  });

  it.each([
    ['nothing', { deal_stock: undefined, deal_money: undefined, deal_fee: undefined }, {}],
    ['the money only', { deal_stock: undefined, deal_fee: undefined }, { money: '180001' }],
    ['the amount only', { deal_money: undefined, deal_fee: undefined }, { amount: '3' }],
    ['no money', { deal_money: '0', deal_fee: '0' }, { amount: '3', fee: '0' }],
    ['that it was filled, and zeros', { deal_stock: '0', deal_money: '0', deal_fee: undefined }, {}],
  ])('has no amount, money or fee that the exchange does not report: it reports %s', (_, reported, known) => {
    const { deal_stock, deal_money, deal_fee: _fee, feeAsset: _asset, ...rest } = full;
    const values = { deal_stock, deal_money, ...reported };
    const one: LiveOrder = { ...rest, ...Object.fromEntries(Object.entries(values).filter(([, value]) => value)) };
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold('-(f|)', { f: change('ended', one) }));
      expectObservable(cold('-o|', orders).pipe(filled(exchange))).toBe('--(r|)', { r: { order: one, ...known } });
    });
  });

  it('was not filled when a canceled order reports an amount of zero only', () => {
    const { deal_money: _, deal_fee: _fee, ...unfilled } = order({ status: 'CANCELED' });
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold('-(c|)', { c: change('ended', unfilled) }));
      expectObservable(cold('-o|', orders).pipe(filled(exchange))).toBe('--(r|)', {
        r: { order: unfilled, amount: '0', money: '0', fee: '0' },
      });
    });
  });

  it('has neither money nor average price when the exchange does not report the total of a part', () => {
    const { deal_money: _, ...filledPart } = canceled;
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold('-m(g|)', { ...changes, m: { ...changes.m, before: filledPart } }));
      expectObservable(cold('-o|', orders).pipe(filled(exchange))).toBe('---(r|)', {
        r: { order: modifiedFull, amount: '3', fee: '180.002' },
      });
    });
  });

  it('has no sum of fees that were paid in several assets', () => {
    const inUsdt = { ...canceled, feeAsset: 'USDT' };
    const inBtc = { ...modifiedFull, feeAsset: 'BTC' };
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold('-m(g|)', { m: { ...changes.m, before: inUsdt }, g: change('ended', inBtc) }));
      expectObservable(cold('-o|', orders).pipe(filled(exchange))).toBe('---(r|)', {
        r: { order: inBtc, amount: '3', money: '180002', averagePrice: '60000.666666666666666667' },
      });
    });
  });

  it('emits the fill of an order that had ended in its response', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-c|', { c: canceled }).pipe(filled(following(NEVER)))).toBe('-r|', {
        r: { order: canceled, amount: '1', money: '60000', averagePrice: '60000', fee: '60' },
      });
    });
  });
});
