// The assets of the markets and the accounts, and the fees of their deposits and withdrawals.
import { decimal, type Decimal } from '../../../model/decimal.js';
import type { Listing } from '../../engine/index.js';
import { invalid, malformed } from '../../rejection.js';
import { open, type ExchangeState, type Call } from '../route.js';

export const assetsRoutes = [open('/api/v4/public/assets', assets), open('/api/v4/public/fee', fees)];

/** Published: no maximum. */
const noMaximum = '0';

function assets({ state }: Call) {
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

function fees({ state }: Call) {
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
          ...{ is_depositable: true, is_withdrawal: true, is_api_withdrawal: true, is_api_depositable: true },
        },
      ]);
    }),
  );
}

function tickersOf({ engine, books }: ExchangeState): string[] {
  const traded = engine.views().flatMap(({ listing: { stock, money } }) => [stock, money]);
  return [...new Set([...traded, ...books.assets()])].sort();
}

function isAsset(state: ExchangeState, ticker: string): boolean {
  return tickersOf(state).includes(ticker);
}

export function tickerOf({ state, fields }: Call, status = 400): string {
  const ticker = fields.textOrEmpty('ticker');
  if (!isAsset(state, ticker)) throw invalid(status, 0, 'ticker', 'The selected ticker is invalid.');
  return ticker;
}

export function requireAsset(state: ExchangeState, ticker: string, message: string): void {
  if (!isAsset(state, ticker)) throw malformed('ticker', message);
}

function smallest(amounts: readonly string[]): Decimal {
  return amounts.map(decimal).reduce((least, amount) => (amount.isLessThan(least) ? amount : least));
}

type Network = ReturnType<typeof network>;

interface AssetProfile {
  readonly name: string;
  /** The ID at CoinMarketCap; 0 when unknown. */
  readonly id: number;
  readonly precision: number;
  readonly isMemo?: boolean;
  /** The default network first. */
  readonly networks: readonly Network[];
}

function network(name: string, confirmations: number, amounts: readonly [string, string, string]) {
  const [minDeposit, minWithdraw, withdrawFee] = amounts;
  return { name, confirmations, minDeposit, minWithdraw, withdrawFee };
}

const profiles = new Map<string, AssetProfile>(
  Object.entries({
    BTC: { name: 'Bitcoin', id: 1, precision: 8, networks: [network('BTC', 2, ['0.0001', '0.001', '0.0004'])] },
    ETH: { name: 'Ethereum', id: 1027, precision: 18, networks: [network('ETH', 32, ['0.001', '0.01', '0.002'])] },
    LTC: { name: 'Litecoin', id: 2, precision: 8, networks: [network('LTC', 6, ['0.01', '0.02', '0.001'])] },
    XLM: { name: 'Stellar', id: 512, precision: 7, isMemo: true, networks: [network('XLM', 1, ['1', '2', '0.1'])] },
    USDT: {
      name: 'Tether US',
      id: 825,
      precision: 6,
      networks: [network('ERC20', 32, ['5', '20', '4']), network('TRC20', 20, ['1', '5', '1'])],
    },
  }),
);

export function networkOf(ticker: string, name?: string): Network | undefined {
  const { networks } = assetProfile(ticker);
  return name === undefined ? networks[0] : networks.find((one) => one.name === name);
}

export function assetProfile(ticker: string): AssetProfile {
  const networks = [network(ticker, 10, ['0.01', '0.02', '0.01'])];
  return profiles.get(ticker) ?? { name: ticker, id: 0, precision: 8, networks };
}
