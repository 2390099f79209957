// Conversions between the assets of the spot balance: quotes, their execution, and what was converted.
import { decimal } from '../../../model/decimal.js';
import { unixSeconds } from '../../clock.js';
import type { Quote } from '../../conversions.js';
import { invalid } from '../../rejection.js';
import { page, signed, type SignedCall } from '../route.js';

const codes = { shape: 30, balance: 37, expired: 20 } as const;
const periodSeconds = 30 * 86_400;
const keyLength = { minimum: 8, maximum: 128 };

export const convertRoutes = [
  signed('/api/v4/convert/estimate', estimate),
  signed('/api/v4/convert/confirm', confirm, { required: ['quoteId'] }),
  signed('/api/v4/convert/auto-confirm', autoConfirm),
  signed('/api/v4/convert/history', history, { fields: page(100, 100, 10_000) }),
];

/** A quote for the request, which the account can pay now. */
function quoteOf({ state, account, fields }: SignedCall): Quote {
  fields.require('from', 'to', 'direction', 'amount');
  const [from, to, direction] = [fields.textOrEmpty('from'), fields.textOrEmpty('to'), fields.value('direction')];
  if (direction !== 'from' && direction !== 'to')
    throw invalid(422, codes.shape, 'direction', 'The selected direction is invalid.');
  if (from === to) throw invalid(422, codes.shape, 'to', 'The to and from must be different.');
  const terms = { account, from, to, direction, amount: decimal(fields.amount()) } as const;
  const quote = state.conversions.quote(terms);
  if (quote === undefined) throw invalid(422, 0, 'from', 'No markets available.');
  if (!quote.give.isGreaterThan(0) || !quote.receive.isGreaterThan(0))
    throw invalid(422, 0, 'amount', 'Amount is too small.');
  if (!state.conversions.canPay(quote)) throw notEnough();
  return quote;
}

const notEnough = () => invalid(400, codes.balance, 'amount', 'Not enough balance.');

function estimate(call: SignedCall) {
  const quote = quoteOf(call);
  call.state.conversions.offer(quote);
  const { id, from, to, give, receive, rate, expiresAt } = quote;
  return { id, from, to, give, receive, rate, expireAt: unixSeconds(expiresAt) };
}

function confirm({ state, account, fields }: SignedCall) {
  const { conversions } = state;
  const quote = conversions.offered(account, fields.textOrEmpty('quoteId'));
  // The same for a quote that was used, and for one that never existed.
  if (quote === undefined) throw invalid(422, 0, 'quoteId', 'Quote is not found.');
  if (state.clock.now() >= quote.expiresAt) throw invalid(422, codes.expired, 'quoteId', 'Quote is expired.');
  if (!conversions.execute(quote)) throw notEnough();
  return amountsOf(quote);
}

const amountsOf = ({ give: finalGive, receive: finalReceive }: Quote) => ({ finalGive, finalReceive });

/** A key executes once: its later requests get the recorded conversion. */
function autoConfirm(call: SignedCall) {
  const { account, fields, state } = call;
  const { conversions } = state;
  const key = fields.text('idempotencyKey');
  if (key !== undefined && (key.length < keyLength.minimum || key.length > keyLength.maximum))
    throw invalid(422, codes.shape, 'idempotencyKey', 'The idempotencyKey must have 8 to 128 characters.');
  const known = key === undefined ? undefined : conversions.executedWith(account, key);
  if (known !== undefined) {
    if (!isOfTerms(call, known)) throw invalid(409, 0, 'request', 'converter.idempotencyKeyReused');
    return { id: known.id, ...amountsOf(known) };
  }
  const quote = quoteOf(call);
  // The quote is new, and the balance was checked.
  conversions.execute(quote);
  if (key !== undefined) conversions.claim(key, quote);
  return { id: quote.id, ...amountsOf(quote) };
}

function isOfTerms({ fields }: SignedCall, { from, to, direction, amount }: Quote): boolean {
  const isSame = (name: string, value: string) => fields.value(name) === value;
  return (
    isSame('from', from) && isSame('to', to) && isSame('direction', direction) && amount.isEqualTo(fields.amount())
  );
}

/** Both ends of the period are now by default. */
function history({ state, account, fields }: SignedCall) {
  const now = unixSeconds(state.clock.now());
  const [from, to] = [secondsOf(fields, 'from', now), secondsOf(fields, 'to', now)];
  if (to - from > periodSeconds) throw invalid(422, codes.shape, 'from', 'The period must be at most 30 days.');
  const found = fields
    .matching(state.conversions.historyOf(account), {
      fromTicker: ({ path }) => path[0]?.from,
      toTicker: ({ path }) => path.at(-1)?.to,
      quoteId: ({ id }) => id,
    })
    .filter(({ date }) => date >= from && date <= to);
  return { ...fields.page(found), total: found.length };
}

/** Published as texts of digits. */
function secondsOf(fields: SignedCall['fields'], name: string, missing: number): number {
  const text = fields.text(name) ?? String(missing);
  if (!/^\d{1,11}$/.test(text)) throw invalid(422, codes.shape, name, `The ${name} must be Unix seconds.`);
  return Number(text);
}
