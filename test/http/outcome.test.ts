// Whether a request was executed, by how it ended.
import * as endpoints from 'exchange-rx/endpoints';
import { describe, expect, it } from 'vitest';
import { outcomeOf, type Ending } from '../../src/http/outcome.js';

const { orders, public: market, spot } = endpoints;
const requests = [
  { endpoint: spot.placeStockMarketOrder, fields: { market: 'BTC_USDT', amount: '1' } },
  { endpoint: orders.cancel, fields: { market: 'BTC_USDT', order_id: 1 } },
  { endpoint: market.tickers, fields: {} },
] as const;

const refused = (
  status: number,
  {
    reason,
    isDamaged = false,
    ...own
  }: Partial<Extract<Ending, { is: 'refused' }>> & {
    code?: number;
    message?: string;
    errors?: Record<string, string[]>;
  } = {},
): Ending => ({
  is: 'refused',
  reason,
  isDamaged,
  response: { status, code: own.code, exchangeMessage: own.message, errors: own.errors ?? {}, body: undefined },
});

/** The outcomes of an order, a cancel and a read. */
const outcomes = (ending: Ending) => requests.map((request) => outcomeOf(request, true, ending));
const mayBeExecuted = ['unknown', 'unknown', 'none'];
const rejected = ['rejected', 'rejected', 'rejected'];

describe('the outcome of a request', () => {
  it('is not-executed when nothing of it was written, however it ended', () => {
    for (const ending of [refused(503), { is: 'unreadable' } as const])
      expect(requests.map((request) => outcomeOf(request, false, ending))).toEqual(Array(3).fill('not-executed'));
  });

  it.each<[string, Ending, readonly string[]]>([
    ['no connection was made', { is: 'lost', wasConnected: false }, Array<string>(3).fill('not-executed')],
    ['its response was lost', { is: 'lost', wasConnected: true }, mayBeExecuted],
    ['its response cannot be read', { is: 'unreadable' }, mayBeExecuted],
    ['the exchange refused it', refused(422, { code: 30 }), rejected],
    ['the exchange or a gateway failed', refused(502), mayBeExecuted],
    ['the exchange is unavailable', refused(503), mayBeExecuted],
    ['a gateway stopped waiting', refused(408), mayBeExecuted],
    ['its nonce was used', refused(429, { reason: 'nonce-used' }), ['unknown', 'unknown', 'rejected']],
    [
      'its nonce was too old',
      refused(400, { reason: 'nonce-expired', message: 'lesser than the current nonce' }),
      ['unknown', 'unknown', 'rejected'],
    ],
    [
      'its nonce was ahead',
      refused(400, { reason: 'nonce-expired', message: 'greater than the current nonce' }),
      rejected,
    ],
    ['its signature is wrong', refused(401, { reason: 'signature' }), rejected],
    ['a gateway counted too many requests', refused(429), rejected],
    ['the exchange counted too many attempts', refused(429, { code: 0, message: 'Too Many Attempts.' }), rejected],
    [
      'a message may be that of a used nonce',
      refused(429, { code: 0, message: 'Demasiadas' }),
      ['unknown', 'unknown', 'rejected'],
    ],
    ['a refusal was damaged on its way', refused(422, { isDamaged: true }), ['unknown', 'unknown', 'rejected']],
    ['a success says that it failed', refused(200, { code: 1 }), ['unknown', 'unknown', 'rejected']],
    ['a success names a parameter as invalid', refused(200, { errors: { market: ['is invalid'] } }), rejected],
  ])('where %s', (_, ending, expected) => {
    expect(outcomes(ending)).toEqual(expected);
  });

  it('is rejected for one of several orders only with a code for a rejection', () => {
    const [order] = requests;
    const codes = [30, 503, 0, undefined];
    expect(codes.map((code) => outcomeOf(order, true, { is: 'entry', code }))).toEqual([
      'rejected',
      'unknown',
      'unknown',
      'unknown',
    ]);
  });
});
