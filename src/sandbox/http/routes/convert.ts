// Conversions: the spot balance gives one asset and receives another one; the exchange is on the other side.
import { cutDecimal, decimal, decimalStep, type Decimal } from '../../../model/decimal.js';
import { unixSeconds } from '../../clock.js';
import type { Leg, Quote } from '../../records.js';
import { invalid } from '../../rejection.js';
import { page, signed, type ExchangeState, type Call } from '../route.js';

const codes = { shape: 30, balance: 37, expired: 20 } as const;
const quoteMs = 10_000;
const places = 8;
const ratePlaces = 18;
const spread = 0.001;
const firstId = 4050;
const periodSeconds = 30 * 86_400;
const keyLength = { minimum: 8, maximum: 128 };

export const convertRoutes = [
  signed('/api/v4/convert/estimate', estimate),
  signed('/api/v4/convert/confirm', confirm, { required: ['quoteId'] }),
  signed('/api/v4/convert/auto-confirm', autoConfirm),
  signed('/api/v4/convert/history', history, { fields: page(100, 100, 10_000) }),
];

function quoteOf({ state, account, fields }: Call, key?: string): Quote {
  fields.require('from', 'to', 'direction', 'amount');
  const [from, to, direction] = [fields.textOrEmpty('from'), fields.textOrEmpty('to'), fields.value('direction')];
  if (direction !== 'from' && direction !== 'to')
    throw invalid(422, codes.shape, 'direction', 'The selected direction is invalid.');
  if (from === to) throw invalid(422, codes.shape, 'to', 'The to and from must be different.');
  const amount = decimal(fields.amount());
  const legs = legsBetween(state, from, to);
  if (legs === undefined) throw invalid(422, 0, 'from', 'No markets available.');
  const rate = legs.reduce((product, leg) => product.times(leg.rate), decimal(1)).decimalPlaces(ratePlaces);
  const given = cutDecimal(amount, places);
  const give = direction === 'from' ? given : roundedUp(given.dividedBy(rate));
  const receive = direction === 'to' ? given : cutDecimal(given.times(rate), places);
  if (!give.isGreaterThan(0) || !receive.isGreaterThan(0)) throw invalid(422, 0, 'amount', 'Amount is too small.');
  if (give.isGreaterThan(state.wallets.available(account, 'trade', from))) throw notEnough();
  const { quotes } = state.records;
  const id = String(firstId + quotes.count);
  const at = state.clock.now();
  const terms = { from, to, amount, give, receive, rate, legs };
  const quote: Quote = { ...terms, direction, account, at, id, expiresAt: at + quoteMs, key };
  quotes.push(quote);
  return quote;
}

const notEnough = () => invalid(400, codes.balance, 'amount', 'Not enough balance.');

/** The exchange gives nothing for nothing. */
function roundedUp(amount: Decimal): Decimal {
  const lower = cutDecimal(amount, places);
  return lower.isEqualTo(amount) ? lower : lower.plus(decimalStep(places));
}

function legsBetween({ engine }: ExchangeState, from: string, to: string): Leg[] | undefined {
  // Prices of perpetuals are no rates of assets.
  const listings = engine.views().flatMap(({ listing }) => (listing.type === 'spot' ? [listing] : []));
  const kept = decimal(1).minus(spread);
  const leg = (from: string, to: string): Leg | undefined => {
    const priceOf = (market: string) =>
      listings.some(({ name }) => name === market) ? engine.markets.book(market).price : undefined;
    const [sold, bought] = [priceOf(`${from}_${to}`), priceOf(`${to}_${from}`)];
    const rate = sold?.times(kept) ?? (bought && kept.dividedBy(bought).decimalPlaces(ratePlaces));
    return rate && { from, to, rate };
  };
  const direct = leg(from, to);
  if (direct !== undefined) return [direct];
  for (const { money } of listings) {
    const [first, second] = [leg(from, money), leg(money, to)];
    if (first !== undefined && second !== undefined) return [first, second];
  }
  return undefined;
}

function estimate(call: Call) {
  const { id, from, to, give, receive, rate, expiresAt } = quoteOf(call);
  return { id, from, to, give, receive, rate, expireAt: unixSeconds(expiresAt) };
}

function confirm({ state, account, fields }: Call) {
  const id = fields.textOrEmpty('quoteId');
  // The same for a quote that was used, and for one that never existed.
  const quote = state.records.quotes.of(account).find((one) => one.id === id && one.convertedAt === undefined);
  if (quote === undefined) throw invalid(422, 0, 'quoteId', 'Quote is not found.');
  if (state.clock.now() >= quote.expiresAt) throw invalid(422, codes.expired, 'quoteId', 'Quote is expired.');
  return execute(state, quote);
}

function execute({ wallets, clock }: ExchangeState, quote: Quote) {
  const { account, from, to, give, receive } = quote;
  const terms = { account, wallet: 'trade', reason: 'conversion' } as const;
  if (!wallets.debit({ ...terms, asset: from, amount: give })) throw notEnough();
  wallets.credit({ ...terms, asset: to, amount: receive });
  quote.convertedAt = clock.now();
  return amountsOf(quote);
}

const amountsOf = ({ give: finalGive, receive: finalReceive }: Quote) => ({ finalGive, finalReceive });

function autoConfirm(call: Call) {
  const { account, fields, state } = call;
  const key = fields.text('idempotencyKey');
  if (key !== undefined && (key.length < keyLength.minimum || key.length > keyLength.maximum))
    throw invalid(422, codes.shape, 'idempotencyKey', 'The idempotencyKey must have 8 to 128 characters.');
  const known = key === undefined ? undefined : state.records.quotes.of(account).find((one) => one.key === key);
  if (known !== undefined) {
    if (!isOfTerms(call, known)) throw invalid(409, 0, 'request', 'converter.idempotencyKeyReused');
    return { id: known.id, ...amountsOf(known) };
  }
  const quote = quoteOf(call, key);
  return { id: quote.id, ...execute(state, quote) };
}

function isOfTerms({ fields }: Call, { from, to, direction, amount }: Quote): boolean {
  const isSame = Object.entries({ from, to, direction }).every(([name, value]) => fields.value(name) === value);
  return isSame && amount.isEqualTo(fields.amount());
}

/** Both ends of the period are now by default. */
function history({ state, account, fields }: Call) {
  const now = unixSeconds(state.clock.now());
  const [from, to] = [secondsOf(fields, 'from', now), secondsOf(fields, 'to', now)];
  if (to - from > periodSeconds) throw invalid(422, codes.shape, 'from', 'The period must be at most 30 days.');
  const converted = state.records.quotes.of(account).filter(({ convertedAt }) => convertedAt !== undefined);
  const found = fields
    .matching(converted, { fromTicker: (one) => one.from, toTicker: (one) => one.to, quoteId: ({ id }) => id })
    .map(({ id, give, receive, rate, legs: path, convertedAt = 0 }) => {
      return { id, date: unixSeconds(convertedAt), give, receive, rate, path };
    })
    .filter(({ date }) => date >= from && date <= to)
    .sort((one, other) => other.date - one.date);
  return { ...fields.page(found), total: found.length };
}

/** Published as texts of digits. */
function secondsOf(fields: Call['fields'], name: string, missing: number): number {
  const text = fields.text(name) ?? String(missing);
  if (!/^\d{1,11}$/.test(text)) throw invalid(422, codes.shape, name, `The ${name} must be Unix seconds.`);
  return Number(text);
}
