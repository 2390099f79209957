// Channels `balanceSpot` and `balanceMargin`: the balances that have changed, at most every 1 s and 1.5 s.
import {
  pushedCollateralAssetSchema,
  type CollateralAssets,
  assetTradeBalanceSchema,
  type TradeBalance,
} from '../../model/balances.js';
import { isRecord } from '../../model/map.js';
import { everyKey, type Channel, type PushItem } from '../channel.js';
import { listIn, readBy, type Part } from './read.js';

/** One item with all balances of a push, and an unreadable part where one of them is. */
function balancesReader<Balance>(
  entriesOf: (part: unknown) => readonly (readonly [asset: string, balance: Balance] | undefined)[],
): (params: unknown) => readonly PushItem<Part<Readonly<Record<string, Balance>>>>[] | undefined {
  return (params) => {
    const list = listIn(params);
    if (list === undefined) return undefined;
    const entries = list.flatMap(entriesOf);
    const readable = entries.filter((entry) => entry !== undefined);
    return [
      ...(readable.length === 0
        ? []
        : [{ key: everyKey, item: { state: Object.fromEntries(readable), isWhole: true } }]),
      ...(readable.length < entries.length ? [{ unreadable: true as const }] : []),
    ];
  };
}

/** Every asset: the exchange would replace the list of one subscriber by that of another. */
const everyAsset = () => [];

/** A push is a list of maps, each with one asset or more. */
export const balances: Channel<Part<TradeBalance>> = {
  name: 'balances',
  method: 'balanceSpot',
  params: everyAsset,
  isPrivate: true,
  read: balancesReader((map) =>
    isRecord(map)
      ? Object.entries(map).map(([asset, value]) => {
          const balance = readBy(assetTradeBalanceSchema, value);
          return balance === undefined ? undefined : [asset, balance];
        })
      : [undefined],
  ),
};

/** A push is a list of assets, with short names. */
export const marginBalances: Channel<Part<CollateralAssets>> = {
  name: 'marginBalances',
  method: 'balanceMargin',
  params: everyAsset,
  isPrivate: true,
  read: balancesReader((value) => {
    const balance = readBy(pushedCollateralAssetSchema, value);
    return [balance === undefined ? undefined : [balance.asset, balance]];
  }),
};
