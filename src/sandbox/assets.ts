// The assets of the sandbox: their names, networks and fees for deposits and withdrawals. What they are worth and who
// has them follows from the markets and the accounts.

export interface Network {
  readonly name: string;
  readonly confirmations: number;
  readonly minDeposit: string;
  readonly minWithdraw: string;
  readonly withdrawFee: string;
}

export interface AssetProfile {
  readonly name: string;
  /** The ID at CoinMarketCap; 0 when unknown. */
  readonly id: number;
  readonly precision: number;
  readonly isMemo?: boolean;
  /** The default network first. */
  readonly networks: readonly Network[];
}

const network = (
  name: string,
  confirmations: number,
  [minDeposit, minWithdraw, withdrawFee]: readonly [string, string, string],
): Network => ({ name, confirmations, minDeposit, minWithdraw, withdrawFee });

const profiles: ReadonlyMap<string, AssetProfile> = new Map(
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

/** The profile of an asset; one that the sandbox does not know has a network of its own name. */
export function assetProfile(ticker: string): AssetProfile {
  const networks = [network(ticker, 10, ['0.01', '0.02', '0.01'])];
  return profiles.get(ticker) ?? { name: ticker, id: 0, precision: 8, networks };
}
