import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { assetTicker, oneOf, type ParamsOf, text } from '../fields.js';
import { mainAccountRateLimit } from '../rate-limits.js';

const params = {
  /** The asset, such as `BTC`. */
  ticker: assetTicker,
  /** The network, such as `TRC20`. Required for an asset with several: `networks` of {@link assets} lists them. */
  network: v.exactOptional(v.pipe(text, v.nonEmpty('must be a network such as "TRC20"'))),
};

const accountFields = {
  /** The address. */
  address: v.pipe(t.text, v.nonEmpty('must not be empty')),
  /** The memo, or tag, which a deposit must name; without it, the deposit is not credited. Absent when there is none. */
  memo: t.optionalText,
};

/** Where a deposit is sent. Unknown fields are kept. */
export interface DepositAccount extends t.RecordOf<typeof accountFields> {}

const flexFeeFields = {
  /** Maximum fee; `'0'` for none. */
  maxFee: t.optionalDecimal,
  /** Minimum fee. */
  minFee: t.optionalDecimal,
  /** Percent of the amount. */
  percent: t.optionalDecimal,
};

/** A fee that depends on the amount. Unknown fields are kept. */
export interface FlexDepositFee extends t.RecordOf<typeof flexFeeFields> {}

const requiredFields = {
  /** Minimum amount: a smaller deposit is lost. */
  minAmount: t.optionalDecimal,
  /** Maximum amount; `'0'` for none. A larger deposit is not credited. */
  maxAmount: t.optionalDecimal,
  /** Fee of each deposit, in the asset. */
  fixedFee: t.optionalDecimal,
  /** Fee that depends on the amount. */
  flexFee: t.optional<FlexDepositFee>(t.record(flexFeeFields)),
};

/** The rules and fees of a deposit. Unknown fields are kept. */
export interface DepositRules extends t.RecordOf<typeof requiredFields> {}

const accountSchema: v.GenericSchema<unknown, DepositAccount> = t.record(accountFields);

const fields = {
  /** The address, and its memo. */
  account: accountSchema,
  /** The amounts that are credited, and the fees. */
  required: t.optional<DepositRules>(t.record(requiredFields)),
};

/** A deposit address. Unknown fields are kept. */
export interface DepositAddress extends t.RecordOf<typeof fields> {}

/** Parameters of {@link depositAddress}. */
export interface DepositAddressParams extends ParamsOf<typeof params> {}

/**
 * Reads the deposit address of an asset, which the exchange creates with the first request. It is permanent: the same
 * asset and network always have the same one. {@link createDepositAddress} creates others.
 *
 * Send a deposit on this network only, with the memo, and within `minAmount` and `maxAmount`: the exchange credits no
 * other. A sub-account needs the permission to deposit, which the exchange gives on request.
 *
 * @example
 * ```ts
 * exchange.account
 *   .depositAddress({ ticker: 'USDT', network: 'TRC20' })
 *   .subscribe(({ account, required }) => console.log(account.address, account.memo, 'from', required?.minAmount));
 * ```
 */
export const depositAddress: Endpoint<DepositAddressParams, DepositAddress> = defineEndpoint({
  name: 'account.depositAddress',
  path: '/api/v4/main-account/address',
  rateLimit: mainAccountRateLimit,
  safety: 'idempotent',
  key: ({ ticker, network }) => JSON.stringify([ticker, network]),
  request: v.strictObject(params),
  response: t.record(fields),
});

/** The kinds of addresses of BTC and LTC. */
const addressTypes = ['p2sh-segwit', 'bech32'] as const;

const createParams = {
  ...params,
  /**
   * Kind of the address, of BTC and LTC only.
   *
   * @default 'bech32'
   */
  type: v.exactOptional(oneOf(addressTypes)),
};

/** Parameters of {@link createDepositAddress}. */
export interface CreateDepositAddressParams extends ParamsOf<typeof createParams> {}

/**
 * Creates another deposit address of an asset, for example one for each customer. Earlier addresses stay valid. The
 * exchange enables it on request.
 *
 * Each request creates an address, up to a limit that is not published. No list shows the addresses, so a request whose
 * response was lost has the outcome `unknown`: the address that it may have created is harmless, and counts towards the
 * limit. `other` means that another request is in process, that the limit is reached, or that the account is not
 * verified: see `exchangeMessage`.
 *
 * @example
 * ```ts
 * exchange.account.createDepositAddress({ ticker: 'BTC', type: 'bech32' }).subscribe(({ account }) => console.log(account.address));
 * ```
 */
export const createDepositAddress: Endpoint<CreateDepositAddressParams, DepositAddress> = defineEndpoint({
  name: 'account.createDepositAddress',
  path: '/api/v4/main-account/create-new-address',
  rateLimit: mainAccountRateLimit,
  safety: 'once',
  request: v.strictObject(createParams),
  response: t.record(fields),
});
