import * as v from 'valibot';
import { defineEndpoint, recordLookup, type Endpoint, type PagedList } from '../../endpoint/index.js';
import { recordsPageOf, type RecordsPage } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { isAmountOf, agreesOn, isRequestedPage } from '../agrees-on.js';
import { assetTicker, oneOf, positiveDecimal, rule, text, type ParamsOf } from '../fields.js';
import { conversionParams, listAllParams, pageParams, type AllItemsParams, type PageParams } from '../list-params.js';

const pairParams = {
  /** The asset to give. */
  from: assetTicker,
  /** The asset to receive. */
  to: assetTicker,
  /** Which of the two `amount` is in. */
  direction: oneOf(['from', 'to']),
  /** Amount, above 0. The exchange cuts it to 8 decimals, without an error. */
  amount: positiveDecimal,
};

function otherAsset<Fields extends { readonly from: string; readonly to: string }>() {
  return rule<Fields>('to', ({ from, to }) => from !== to, 'must be another asset than from');
}

const quoteFields = {
  /** Identifies the quote: for {@link confirmQuote}. */
  id: t.text,
  /** The asset to give. */
  from: t.optionalText,
  /** The asset to receive. */
  to: t.optionalText,
  /** Amount to give. */
  give: t.decimalText,
  /** Amount to receive. */
  receive: t.decimalText,
  /** Amount to receive for 1 that is given. */
  rate: t.optionalDecimal,
  /** When the quote ends, Unix seconds: about 10 s after the request. */
  expireAt: t.optionalNumber,
};

/** An offer to convert. Unknown fields are kept. */
export interface Quote extends t.RecordOf<typeof quoteFields> {}

/** Parameters of {@link requestQuote}. */
export interface RequestQuoteParams extends ParamsOf<typeof pairParams> {}

/**
 * Requests a quote for a conversion. It moves nothing: {@link confirmQuote} converts, from and to the spot balance.
 *
 * @example
 * ```ts
 * exchange.convert
 *   .requestQuote({ from: 'BTC', to: 'USDT', direction: 'from', amount: '0.1' })
 *   .subscribe(({ receive, expireAt }) => console.log(receive, expireAt));
 * ```
 */
export const requestQuote: Endpoint<RequestQuoteParams, Quote> = defineEndpoint({
  name: 'convert.requestQuote',
  path: '/api/v4/convert/estimate',
  safety: 'read',
  request: v.pipe(v.strictObject(pairParams), otherAsset()),
  response: t.record(quoteFields),
  matchesRequest: agreesOn('from', 'to'),
});

const legFields = {
  /** The asset given. */
  from: t.optionalText,
  /** The asset received. */
  to: t.optionalText,
  /** Rate of the leg. */
  rate: t.optionalDecimal,
};

/** A step of a conversion. Unknown fields are kept. */
export interface ConversionLeg extends t.RecordOf<typeof legFields> {}

const conversionFields = {
  /** Identifies the conversion: that of its quote, perhaps. */
  id: t.text,
  /** When it was made, Unix seconds. */
  date: t.optionalNumber,
  /** Amount given. */
  give: t.decimalText,
  /** Amount received. */
  receive: t.decimalText,
  /** Amount received for 1 that was given. */
  rate: t.optionalDecimal,
  /** The steps of the conversion, with their assets. */
  path: t.optional(t.partOf<ConversionLeg>(t.record(legFields))),
};

/** A conversion. Unknown fields are kept. */
export interface Conversion extends t.RecordOf<typeof conversionFields> {}

/** A page of conversions. */
export interface ConversionPage extends RecordsPage<Conversion> {}

/** Parameters of {@link history}. */
export interface ConvertHistoryParams extends PageParams, ParamsOf<typeof conversionParams> {}

/**
 * Lists a page of the conversions of a period, the newest first, 100 without `limit`. Give `from` and `to`: both are now by
 * default, so without them the list may be empty. The exchange keeps 6 months.
 *
 * @example
 * ```ts
 * const now = Math.floor(Date.now() / 1000);
 * exchange.convert
 *   .history({ from: now - 86_400, to: now })
 *   .subscribe(({ records }) => console.log(records.map(({ give, receive }) => `${give} for ${receive}`)));
 * ```
 */
export const history: Endpoint<ConvertHistoryParams, ConversionPage> = defineEndpoint({
  name: 'convert.history',
  path: '/api/v4/convert/history',
  safety: 'read',
  page: { defaultLimit: 100, listAll: 'convert.listAll' },
  request: v.strictObject({ ...conversionParams, ...pageParams }),
  response: recordsPageOf<Conversion>(t.record(conversionFields)),
  matchesRequest: isRequestedPage,
});

/** Parameters of {@link listAll}. */
export interface ListAllConversionsParams extends AllItemsParams, ParamsOf<typeof conversionParams> {}

/**
 * Emits the conversions of a period one by one, the newest first, and completes.
 *
 * @example
 * ```ts
 * const now = Math.floor(Date.now() / 1000);
 * exchange.convert.listAll({ from: now - 86_400, to: now }).subscribe(({ give, receive }) => console.log(give, receive));
 * ```
 */
export const listAll: PagedList<ListAllConversionsParams, Conversion, ConversionPage> = {
  name: 'convert.listAll',
  pagesOf: history,
  request: v.strictObject({ ...conversionParams, ...listAllParams }),
  itemsOf: ({ records }) => records,
  keyOf: ({ id }) => id,
};

const convertedFields = {
  /** Amount given. */
  finalGive: t.decimalText,
  /** Amount received. */
  finalReceive: t.decimalText,
};

/** What a conversion gave and received. Unknown fields are kept. */
export interface Converted extends t.RecordOf<typeof convertedFields> {}

const confirmParams = {
  /** `id` of a quote. */
  quoteId: v.pipe(text, v.regex(/^\d+$/, 'must be digits')),
};

/** Parameters of {@link confirmQuote}. */
export interface ConfirmQuoteParams extends ParamsOf<typeof confirmParams> {}

/** The history needs a period. */
const lookupPeriod = () => {
  const now = Math.floor(Date.now() / 1000);
  return { from: now - 86_400, to: now + 60 };
};

const provesNothing = 'the exchange has not published which quote a record is of';

/**
 * Converts by a quote, from and to the spot balance. One quote converts once. After a lost response, or when the exchange does
 * not know the quote (any more), the conversion is looked up in {@link history} by `quoteId`: it is found, or its outcome stays `unknown`.
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 * import { switchMap } from 'rxjs';
 *
 * const convert$ = (exchange: Exchange) =>
 *   exchange.convert
 *     .requestQuote({ from: 'BTC', to: 'USDT', direction: 'from', amount: '0.1' })
 *     .pipe(switchMap(({ id }) => exchange.convert.confirmQuote({ quoteId: id })));
 * ```
 */
export const confirmQuote: Endpoint<ConfirmQuoteParams, Converted> = defineEndpoint({
  name: 'convert.confirmQuote',
  path: '/api/v4/convert/confirm',
  safety: 'keyed',
  request: v.strictObject(confirmParams),
  response: t.record(convertedFields),
  errorCodes: [
    { code: 37, reason: 'insufficient-balance' },
    // The same for a quote that was used, and for one that never existed.
    { code: 0, reason: 'duplicate' },
    { code: 20, reason: 'duplicate' },
  ],
  recordLookup: recordLookup({
    compares: 'quoteId with convert.history',
    list: history,
    paramsOf: lookupPeriod,
    filterOf: ({ quoteId }) => ({ quoteId }),
    itemsOf: ({ records }) => records,
    madeAt: ({ date }) => date,
    matches: ({ id }, { quoteId }) => id === quoteId,
    provesNothing,
    outputOf: ({ give, receive }) => ({ finalGive: give, finalReceive: receive }),
  }),
});

const convertParams = {
  ...pairParams,
  /**
   * A key of your own, 8 to 128 characters. The exchange executes requests with the same key once, for a few seconds. The
   * package never sends a second one.
   */
  idempotencyKey: v.exactOptional(
    v.pipe(text, v.minLength(8, 'must be 8 to 128 characters'), v.maxLength(128, 'must be 8 to 128 characters')),
  ),
};

/** Parameters of {@link convert}. */
export interface ConvertParams extends ParamsOf<typeof convertParams> {}

const autoFields = {
  /** The quote: `quoteId` of {@link history}. After a lookup, the `id` of the record. */
  id: t.text,
  ...convertedFields,
};

/** What a conversion without a quote of its own gave and received. Unknown fields are kept. */
export interface AutoConverted extends t.RecordOf<typeof autoFields> {}

/**
 * Converts at the current rate, from and to the spot balance. After a lost response it is looked up in {@link history}, by
 * assets and amount: it is found, or its outcome stays `unknown`.
 *
 * @example
 * ```ts
 * exchange.convert
 *   .convert({ from: 'USDT', to: 'BTC', direction: 'from', amount: '100' })
 *   .subscribe(({ finalReceive }) => console.log(finalReceive));
 * ```
 */
export const convert: Endpoint<ConvertParams, AutoConverted> = defineEndpoint({
  name: 'convert.convert',
  path: '/api/v4/convert/auto-confirm',
  safety: 'once',
  request: v.pipe(v.strictObject(convertParams), otherAsset()),
  response: t.record(autoFields),
  errorCodes: [
    { code: 37, reason: 'insufficient-balance' },
    { code: 32, reason: 'amount' },
    { status: 409, reason: 'duplicate' },
  ],
  recordLookup: recordLookup({
    compares: 'from, to and amount with convert.history',
    list: history,
    paramsOf: lookupPeriod,
    itemsOf: ({ records }) => records,
    idOf: ({ id }) => id,
    madeAt: ({ date }) => date,
    matches: ({ give, receive, path = [] }, { from, to, direction, amount }) =>
      path[0]?.from === from && path.at(-1)?.to === to && isAmountOf(direction === 'from' ? give : receive, amount),
    provesNothing,
    outputOf: ({ id, give, receive }) => ({ id, finalGive: give, finalReceive: receive }),
  }),
});
