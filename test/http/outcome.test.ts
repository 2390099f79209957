// Whether a request was executed, by how it ended.
import * as endpoints from 'exchange-rx/endpoints';
import { describe, expect, it } from 'vitest';
import { outcomeOf, outcomeOfEntry, type Refusal } from '../../src/http/outcome.js';

const { account, oauth, orders, public: market, spot } = endpoints;
const requests = [
  { endpoint: spot.placeStockMarketOrder, fields: { market: 'BTC_USDT', amount: '1' } },
  { endpoint: orders.cancel, fields: { market: 'BTC_USDT', order_id: 1 } },
  { endpoint: account.createCode, fields: { ticker: 'BTC', amount: '1' } },
  { endpoint: market.tickers, fields: {} },
] as const;

const refused = (
  status: number,
  {
    reason,
    isDamaged = false,
    ...own
  }: Partial<Refusal> & {
    code?: number;
    message?: string;
    errors?: Record<string, string[]>;
  } = {},
): Refusal => ({
  reason,
  isDamaged,
  response: { status, code: own.code, exchangeMessage: own.message, errors: own.errors ?? {}, body: undefined },
});

/** The outcomes of an order, a cancel, a request that must never be sent twice, and a read. */
const outcomes = (refusal?: Refusal) => requests.map((request) => outcomeOf(request, true, refusal));
const mayBeExecuted = ['unknown', 'unknown', 'unknown', 'none'];
/** The refusal may be that of a proxy's copy, and the original executed: only a read is certainly rejected. */
const doubtful = ['unknown', 'unknown', 'unknown', 'rejected'];
const rejected = ['rejected', 'rejected', 'rejected', 'rejected'];

describe('the outcome of a request', () => {
  it('is not-executed when nothing of it was written, however it ended', () => {
    for (const refusal of [refused(503), undefined])
      expect(requests.map((request) => outcomeOf(request, false, refusal))).toEqual(Array(4).fill('not-executed'));
  });

  it.each<[string, Refusal | undefined, readonly string[]]>([
    ['its response was lost, or cannot be read', undefined, mayBeExecuted],
    ['the exchange refused it', refused(422, { code: 30 }), rejected],
    ['the exchange or a gateway failed', refused(502), mayBeExecuted],
    ['the exchange is unavailable', refused(503), mayBeExecuted],
    ['a gateway stopped waiting', refused(408), mayBeExecuted],
    ['its nonce was used', refused(429, { reason: 'nonce-used' }), doubtful],
    [
      'its nonce was too old',
      refused(400, { reason: 'nonce-expired', message: 'lesser than the current nonce' }),
      doubtful,
    ],
    [
      'its nonce was ahead',
      refused(400, { reason: 'nonce-expired', message: 'greater than the current nonce' }),
      rejected,
    ],
    ['its signature is wrong', refused(401, { reason: 'signature' }), rejected],
    ['a gateway counted too many requests', refused(429), rejected],
    ['the exchange counted too many attempts', refused(429, { code: 0, message: 'Too Many Attempts.' }), rejected],
    ['a message may be that of a used nonce', refused(429, { code: 0, message: 'Demasiadas' }), doubtful],
    ['a response without a text may be that of a used nonce', refused(429, { code: 0 }), doubtful],
    ['the key of a text may be that of a used nonce', refused(422, { code: 0, message: 'a.key' }), doubtful],
    ['the key of a text has another code', refused(422, { code: 5, message: 'a.key' }), rejected],
    ['the main account counted too many attempts', refused(422, { code: 0, message: 'Too many attempts.' }), doubtful],
    ['a refusal was damaged on its way', refused(422, { isDamaged: true }), doubtful],
    ['a success says that it failed', refused(200, { code: 1 }), doubtful],
    ['a success names a parameter as invalid', refused(200, { errors: { market: ['no'], ticker: ['no'] } }), rejected],
    ['a response without a status does', refused(0, { errors: { market: ['no'], ticker: ['no'] } }), mayBeExecuted],
  ])('where %s', (_, refusal, expected) => {
    expect(outcomes(refusal)).toEqual(expected);
  });

  it('is rejected by any 429 where no nonce is sent', () => {
    const request = { endpoint: oauth.apiKeySecret, fields: {} };
    expect(outcomeOf(request, true, refused(429, { code: 0, message: 'Demasiadas' }))).toBe('rejected');
  });

  it('is rejected for one of several orders only with a code for a rejection', () => {
    const codes = { rejected: [30, 399], unknown: [400, 0, undefined] };
    for (const [outcome, some] of Object.entries(codes))
      for (const code of some) expect(outcomeOfEntry(code)).toBe(outcome);
  });
});
