// The assets, and the fees of their deposits and withdrawals.
import { formatDecimal, decimal } from '../../../model/decimal.js';
import { apiErrorCodes } from '../../../model/error-body.js';
import { assetProfile, type Network } from '../../assets.js';
import type { Listing } from '../../engine/index.js';
import { invalid } from '../../rejection.js';
import { open, per10s, type ExchangeState, type OpenCall } from '../route.js';

const rateLimit = per10s(2000);

export const assetsRoutes = [
  open('/api/v4/public/assets', assets, { rateLimit }),
  open('/api/v4/public/fee', fees, { rateLimit }),
];

/** Published: no maximum. */
const noMaximum = '0';

function assets({ state }: OpenCall) {
  const listings = state.engine.views().map(({ listing }) => listing);
  return Object.fromEntries(tickersOf(state).map((ticker) => [ticker, assetRecord(listings, ticker)]));
}

function assetRecord(listings: readonly Listing[], ticker: string) {
  const { name, id, precision, isMemo = false, networks } = assetProfile(ticker);
  const market = listings.find(({ stock, money }) => stock === ticker || money === ticker);
  const names = networks.map((network) => network.name);
  const limits = (minimum: (network: Network) => string) =>
    Object.fromEntries(networks.map((network) => [network.name, { min: minimum(network), max: noMaximum }]));
  return {
    name,
    unified_cryptoasset_id: id,
    can_withdraw: true,
    can_deposit: true,
    min_withdraw: smallest(networks.map(({ minWithdraw }) => minWithdraw)),
    max_withdraw: noMaximum,
    maker_fee: market?.makerFee ?? '0',
    taker_fee: market?.takerFee ?? '0',
    min_deposit: smallest(networks.map(({ minDeposit }) => minDeposit)),
    max_deposit: noMaximum,
    currency_precision: precision,
    is_memo: isMemo,
    memo: { deposit: isMemo, withdraw: isMemo },
    networks: { deposits: names, withdraws: names, default: names[0] },
    limits: { deposit: limits(({ minDeposit }) => minDeposit), withdraw: limits(({ minWithdraw }) => minWithdraw) },
    confirmations: Object.fromEntries(networks.map(({ name: of, confirmations }) => [of, confirmations])),
  };
}

/** By asset; of an asset with several networks, by asset and network. */
function fees({ state }: OpenCall) {
  return Object.fromEntries(
    tickersOf(state).flatMap((ticker) => {
      const { name, networks } = assetProfile(ticker);
      return networks.map((network) => [
        networks.length === 1 ? ticker : `${ticker} (${network.name})`,
        {
          ticker,
          name,
          providers: [],
          deposit: { min_amount: network.minDeposit, max_amount: noMaximum, fixed: null, flex: null },
          withdraw: { min_amount: network.minWithdraw, max_amount: noMaximum, fixed: network.withdrawFee, flex: null },
          is_depositable: true,
          is_withdrawal: true,
          is_api_withdrawal: true,
          is_api_depositable: true,
        },
      ]);
    }),
  );
}

/** The assets of the markets and of the accounts' wallets. */
function tickersOf({ engine, books }: ExchangeState): string[] {
  const traded = engine.views().flatMap(({ listing: { stock, money } }) => [stock, money]);
  return [...new Set([...traded, ...books.assets()])].sort();
}

export function requireAsset(state: ExchangeState, ticker: string, message: string): void {
  if (!tickersOf(state).includes(ticker)) throw invalid(422, apiErrorCodes.validation, 'ticker', message);
}

function smallest(amounts: readonly string[]): string {
  return formatDecimal(amounts.map(decimal).reduce((least, amount) => (amount.isLessThan(least) ? amount : least)));
}
