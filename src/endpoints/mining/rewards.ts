import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { pageOf, type PageOf } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { isRequestedPage } from '../agrees-on.js';
import { oneOf, rule, text, type ParamsOf, unixSeconds } from '../fields.js';
import { pageParams, type PageParams } from '../list-params.js';
import { accountName, rateLimit } from './params.js';

const destinations = ['main_balance', 'external_address'] as const;

const rewardFields = {
  /** Name of the account. */
  miningAccountName: t.optionalText,
  /** Day of the reward, Unix seconds. */
  date: t.optionalNumber,
  /** `pending`, `successful` or `canceled`. */
  status: t.optionalEnum(['pending', 'successful', 'canceled']),
  /** The asset. */
  rewardCurrency: t.optionalText,
  /** Reward before the fee. */
  totalReward: t.optionalDecimal,
  /** What is paid. */
  reward: t.optionalDecimal,
  /** Fee of the pool. */
  fee: t.optionalDecimal,
  /** Rate of full pay per share. */
  fppsRate: t.optionalDecimal,
  /** Hash rate, hashes a second. */
  hashRate: t.optionalDecimal,
  /** Where it is paid: to the main balance, or to an address. */
  payoutDestination: t.optionalEnum(destinations),
  /** Address of a payment to an address. */
  payoutAddress: t.optionalText,
  /** Hash of that payment. */
  payoutTransactionHash: t.optionalText,
  /** When it was paid, Unix seconds. */
  payoutTime: t.optionalNumber,
};

/** A reward of the pool. Unknown fields are kept. */
export interface MiningReward extends t.RecordOf<typeof rewardFields> {}

/** A page of rewards. */
export interface MiningRewardPage extends PageOf<MiningReward> {}

const rewardsParams = {
  /** Only rewards of this account. */
  account: v.exactOptional(accountName),
  /** Only from this time on, Unix seconds. */
  from: v.exactOptional(unixSeconds),
  /** Only up to this time, Unix seconds. */
  to: v.exactOptional(unixSeconds),
};

/** Parameters of {@link rewards}. */
export interface RewardsParams extends PageParams, ParamsOf<typeof rewardsParams> {}

/**
 * Lists a page of the rewards of the mining pool, the newest first, 30 without `limit`. An unknown account has none.
 *
 * @example
 * ```ts
 * exchange.mining.rewards({ limit: 10 }).subscribe(({ data }) => console.log(data.map(({ reward }) => reward)));
 * ```
 */
export const rewards: Endpoint<RewardsParams, MiningRewardPage> = defineEndpoint({
  name: 'mining.rewards',
  path: '/api/v4/mining/rewards',
  rateLimit,
  safety: 'read',
  page: { defaultLimit: 30 },
  confidential: true,
  request: v.strictObject({ ...rewardsParams, ...pageParams }),
  response: pageOf<MiningReward>(t.record(rewardFields)),
  matchesRequest: isRequestedPage,
});

const destinationFields = {
  /** Where rewards are paid: to the main balance, or to an address. */
  payoutDestination: t.oneOf(destinations),
  /** The address. */
  externalAddress: t.optionalText,
};

/** Where the rewards of an account are paid. Unknown fields are kept. */
export interface PayoutDestination extends t.RecordOf<typeof destinationFields> {}

const destinationParams = {
  /** Name of the account. */
  accountName: accountName,
};

/** Parameters of {@link payoutDestination}. */
export interface PayoutDestinationParams extends ParamsOf<typeof destinationParams> {}

/**
 * Reads where the rewards of an account are paid.
 *
 * @example
 * ```ts
 * exchange.mining.payoutDestination({ accountName: 'rig' }).subscribe((paid) => console.log(paid.payoutDestination));
 * ```
 */
export const payoutDestination: Endpoint<PayoutDestinationParams, PayoutDestination> = defineEndpoint({
  name: 'mining.payoutDestination',
  path: '/api/v4/mining/payout-destination',
  rateLimit,
  safety: 'read',
  confidential: true,
  request: v.strictObject(destinationParams),
  response: t.record(destinationFields),
});

const setDestinationParams = {
  ...destinationParams,
  /** Where rewards are paid. */
  destination: oneOf(destinations),
  /** A BTC address, at most 100 characters. Required for `external_address`. */
  address: v.exactOptional(v.pipe(text, v.maxLength(100, 'must be at most 100 characters'))),
};

/** Parameters of {@link setPayoutDestination}. */
export interface SetPayoutDestinationParams extends ParamsOf<typeof setDestinationParams> {}

/**
 * Sets where the rewards of an account are paid. Needs `allowWithdrawals` of the client.
 *
 * @example
 * ```ts
 * exchange.mining
 *   .setPayoutDestination({ accountName: 'rig', destination: 'main_balance' })
 *   .subscribe((paid) => console.log(paid.payoutDestination));
 * ```
 */
export const setPayoutDestination: Endpoint<SetPayoutDestinationParams, PayoutDestination> = defineEndpoint({
  name: 'mining.setPayoutDestination',
  path: '/api/v4/mining/payout-destination/edit',
  rateLimit,
  safety: 'idempotent',
  key: ({ accountName }) => accountName,
  movesMoneyOut: true,
  confidential: true,
  request: v.pipe(
    v.strictObject(setDestinationParams),
    rule(
      'address',
      ({ destination, address }) => (destination === 'external_address') === (address !== undefined),
      'is required where rewards are paid to an address, and must be left out otherwise',
    ),
  ),
  response: t.record(destinationFields),
});
