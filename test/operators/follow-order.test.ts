import { filled, followOrder, type LiveOrder, type OrderChange, type OrderFill } from 'exchange-rx';
import { throwError, type Observable } from 'rxjs';
import { describe, it } from 'vitest';
import { marbles } from '../support/marbles.js';

const order = (fields: Partial<LiveOrder> = {}): LiveOrder => ({
  ...{ order_id: 1, client_order_id: 'a', market: 'BTC_USDT', side: 'buy', status: 'OPEN', amount: '3', left: '3' },
  ...{ deal_stock: '0', deal_money: '0', deal_fee: '0' },
  ...fields,
});
const change = (kind: 'updated' | 'ended', one: LiveOrder): OrderChange => ({ kind, order: one });

const placed = order();
const partial = order({ status: 'PARTIALLY_FILLED', deal_stock: '1', deal_money: '60000', deal_fee: '60' });
const full = order({ status: 'FILLED', deal_stock: '3', deal_money: '180001', deal_fee: '180.001', feeAsset: 'USDT' });
const canceled = order({ status: 'CANCELED', deal_stock: '1', deal_money: '60000', deal_fee: '60' });
const modified = order({ order_id: 2, amount: '2', left: '2' });
const modifiedFull = order({
  ...modified,
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
  m: { kind: 'modified', order: modified, before: canceled } satisfies OrderChange,
};

const following = (changes$: Observable<OrderChange>) => ({ live: { my: { follow: () => changes$ } } });

describe('followOrder', () => {
  it.each([
    ['emits the placed order and its states, and ends with its end', '-o|', '--p--(f|)', '-o-p--(f|)'],
    ['goes on with the order that the placed one is modified to', '-o|', '--m--(g|)', '-o-m--(g|)'],
    ['follows no order that had ended in its response', '-f|', '---', '-f|'],
    ['passes the error of the order on', '-#', '---', '-#'],
  ])('%s', (_, placing, following$, result) => {
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold(following$, changes));
      expectObservable(cold(placing, orders).pipe(followOrder(exchange))).toBe(result, orders);
    });
  });

  it('follows several orders at once, and fails as the connection does', () => {
    const error = new Error('refused');
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold('--p---(f|)', changes));
      expectObservable(cold('-o---o|', orders).pipe(followOrder(exchange))).toBe('-o-p-o-(fp)(f|)', orders);
      const failing = following(throwError(() => error));
      expectObservable(cold('-o-', orders).pipe(followOrder(failing))).toBe('-(o#)', orders, error);
    });
  });

  it('ends the subscription of both when it is unsubscribed', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const changes$ = cold('--p---', changes);
      expectObservable(cold('-o|', orders).pipe(followOrder(following(changes$))), '-----!').toBe('-o-p', orders);
      expectSubscriptions(changes$.subscriptions).toBe('-^---!');
    });
  });
});

describe('filled', () => {
  const unfilled = order({ status: 'CANCELED' });
  const { deal_money: _money, ...withoutMoney } = canceled;
  const { deal_money: _unpaid, deal_fee: _free, ...bare } = unfilled;
  const inUsdt = { ...canceled, feeAsset: 'USDT' };
  const inBtc = { ...modifiedFull, feeAsset: 'BTC' };
  const modifiedOf = (before: LiveOrder) => ({ ...changes.m, before });
  const averagePrice = '60000.666666666666666667';

  const ofFull = {
    ...{ order: full, amount: '3', money: '180001', fee: '180.001', feeAsset: 'USDT' },
    averagePrice: '60000.333333333333333333',
  };
  const ofBoth = { order: modifiedFull, amount: '3', money: '180002', averagePrice, fee: '180.002' };
  const ofCanceled = { order: canceled, amount: '1', money: '60000', averagePrice: '60000', fee: '60' };
  const nothing = { amount: '0', money: '0', fee: '0' };
  const severalFees = { m: modifiedOf(inUsdt), g: change('ended', inBtc) };
  const ofSeveral = { order: inBtc, amount: '3', money: '180002', averagePrice };
  const unpaid = { order: modifiedFull, amount: '3', fee: '180.002' };
  const ends = (one: LiveOrder) => ({ c: change('ended', one) });

  it.each<[string, string, Record<string, OrderChange>, string, OrderFill]>([
    ['has amount, money, average price and fees at the end of the order', '--p--(f|)', {}, '------(r|)', ofFull],
    ['adds up the parts of a modified order', '--m--(g|)', {}, '------(r|)', ofBoth],
    [
      'has no average price when nothing was filled',
      '-(c|)',
      ends(unfilled),
      '--(r|)',
      { order: unfilled, ...nothing },
    ],
    ['is zero when only an amount of zero is reported', '-(c|)', ends(bare), '--(r|)', { order: bare, ...nothing }],
    ['has no money when that of a part is not reported', '-m(g|)', { m: modifiedOf(withoutMoney) }, '---(r|)', unpaid],
    ['has no sum of fees that were paid in several assets', '-m(g|)', severalFees, '---(r|)', ofSeveral],
  ])('%s', (_, following$, more, result, fill) => {
    marbles(({ cold, expectObservable }) => {
      const exchange = following(cold(following$, { ...changes, ...more }));
      expectObservable(cold('-o|', orders).pipe(filled(exchange))).toBe(result, { r: fill });
    });
  });

  it('emits the fill of an order that had ended in its response', () => {
    marbles(({ cold, expectObservable }) => {
      const order$ = cold('-c|', { c: canceled });
      expectObservable(order$.pipe(filled(following(cold('---'))))).toBe('-r|', { r: ofCanceled });
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
});
