// The wallets as rows, and what there is to say of their value.
import type { AssetRow, WalletPart } from '../../messages.js';
import { ageOf } from './ages.js';
import { emptyWords, type Words } from './empty.js';
import { lasting, none } from './format.js';
import type { State } from './state.js';

export type WalletRow =
  | { readonly kind: 'wallet'; readonly name: string; readonly note: string; readonly value: string | null }
  | ({ readonly kind: 'asset'; readonly wallet: string } & AssetRow);

const maxAssets = 30;

export function walletRows(wallets: readonly WalletPart[], state: Pick<State, 'now' | 'link'>): readonly WalletRow[] {
  return wallets.flatMap(({ wallet, state: fresh, value, assets, notShown }): WalletRow[] => {
    const { text, tone } = ageOf(fresh, state);
    const more = notShown + Math.max(0, assets.length - maxAssets);
    const note = [
      ...(tone === 'stale' || fresh.status === 'waiting' ? [text] : []),
      ...(more > 0 ? [`${more} more`] : []),
    ];
    const name = wallet === 'spot' ? 'Spot' : wallet === 'main' ? 'Main' : 'Collateral';
    return [
      { kind: 'wallet', name, note: note.join(', '), value },
      ...assets.slice(0, maxAssets).map((asset): WalletRow => ({ kind: 'asset', wallet, ...asset })),
    ];
  });
}

const dayMs = 86_400_000;

export function sinceWords(since: number, now: number): string {
  return now - since > dayMs - 120_000 ? '24 h' : lasting(now - since);
}

export function noteOf(state: State): Words {
  const { about, account: part } = state.parts;
  if (about?.account === false || part?.state.status === 'refused') return emptyWords(state, 'account');
  if (part === undefined || part.state.status === 'waiting') return ['', ''];
  if (part.value !== null && part.wallets.every(({ assets }) => assets.length === 0))
    return emptyWords(state, 'account');
  const missing = part.notValued.length === 0 ? '' : `Without a price, not in the value: ${part.notValued.join(', ')}.`;
  return ['', part.value === null && missing === '' ? `${none} until every wallet was read.` : missing];
}
