// What the assets and their fees say of a withdrawal, before it is sent.
import { checkedBy, type RequestCheck, type WireFields } from '../../endpoint/index.js';
import { decimal, isAboveZero } from '../../model/decimal.js';
import { unreadableIn } from '../../model/unreadable.js';
import { assetFees, type FeesByAsset } from '../public/asset-fees.js';
import { assets, type Asset, type Assets } from '../public/assets.js';
import { hasFeesByProvider } from '../public/transfer-fee.js';

interface Issue {
  readonly field: string;
  readonly message: string;
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** @param isFeeIncluded whether the fee is taken from the amount */
export function withdrawalCheck(isFeeIncluded: boolean): RequestCheck {
  return checkedBy(assets, assetFees, (fields, byTicker: Assets, fees: FeesByAsset) => {
    const ticker = String(fields['ticker']);
    const asset = byTicker[ticker];
    if (asset === undefined)
      // An asset that cannot be read may be this one.
      return unreadableIn(byTicker) === undefined ? [{ field: 'ticker', message: `${ticker} is not listed` }] : [];
    const issues = [...placeIssues(fields, asset), ...memoIssues(fields, asset), ...amountIssues(fields, asset)];
    return isFeeIncluded ? [...issues, ...feeIssues(fields, asset, fees)] : issues;
  });
}

function networkOf({ network }: WireFields, { networks }: Asset): string | undefined {
  return text(network) ?? networks?.default ?? networks?.withdraws?.[0];
}

/** Crypto leaves by a network, fiat money by a provider. */
function placeIssues(fields: WireFields, { can_withdraw, networks, providers }: Asset): Issue[] {
  const byNetwork = networks?.withdraws ?? [];
  const field = fields['provider'] === undefined && byNetwork.length > 0 ? 'network' : 'provider';
  const possible = field === 'network' ? byNetwork : (providers?.withdraws ?? []);
  const given = text(fields[field]);
  const issues: Issue[] = [];
  if (can_withdraw === false)
    issues.push({ field: 'ticker', message: `${String(fields['ticker'])} cannot be withdrawn now` });
  if (given === undefined && possible.length > (field === 'network' ? 1 : 0))
    issues.push({ field, message: `is required: one of ${possible.join(', ')}` });
  if (given !== undefined && possible.length > 0 && !possible.includes(given))
    issues.push({ field, message: `must be one of ${possible.join(', ')}` });
  return issues;
}

function memoIssues({ memo }: WireFields, { is_memo = false, memo: needed }: Asset): Issue[] {
  const isNeeded = needed?.withdraw ?? is_memo;
  if (isNeeded && (memo === undefined || memo === ''))
    return [{ field: 'memo', message: 'is required: the network needs it to find the recipient' }];
  return !isNeeded && !is_memo && memo !== undefined && memo !== ''
    ? [{ field: 'memo', message: 'must be left out: the asset has none' }]
    : [];
}

function amountIssues(fields: WireFields, asset: Asset): Issue[] {
  const place = text(fields['provider']) ?? networkOf(fields, asset) ?? '';
  const { min = asset.min_withdraw, max = asset.max_withdraw } = asset.limits?.withdraw?.[place] ?? {};
  const amount = decimal(String(fields['amount']));
  if (min !== undefined && amount.isLessThan(min))
    return [{ field: 'amount', message: `must be at least ${min}, the minimum withdrawal` }];
  // "0": unlimited.
  return max !== undefined && isAboveZero(max) && amount.isGreaterThan(max)
    ? [{ field: 'amount', message: `must be at most ${max}, the maximum withdrawal` }]
    : [];
}

function feeIssues(fields: WireFields, asset: Asset, fees: FeesByAsset): Issue[] {
  const ticker = String(fields['ticker']);
  const listed = (fees[`${ticker} (${networkOf(fields, asset)})`] ?? fees[ticker])?.withdraw ?? {};
  const { fixed = '0', flex } = hasFeesByProvider(listed) ? (listed[text(fields['provider']) ?? ''] ?? {}) : listed;
  const amount = decimal(String(fields['amount']));
  const fee = [fixed, flex?.min_fee ?? '0'].find((one) => !amount.isGreaterThan(one));
  return fee === undefined ? [] : [{ field: 'amount', message: `must be more than the fee, ${fee}` }];
}
