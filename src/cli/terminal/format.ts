// How amounts, balances, durations and times read on a terminal.
import type { Balance } from '../../model/balances.js';
import { escape, join, text, wrap, type SafeText } from './safe-text.js';

const maxAmountLength = 64;

/** An amount in full. A truncated amount would be another amount, so one that is too long is replaced by a note. */
export function formatAmount(amount: string, maxLength = maxAmountLength): string {
  return amount.length <= maxLength ? amount : `(${amount.length} characters, not shown)`;
}

function isNonZero(amount: string): boolean {
  return /[1-9]/.test(amount);
}

const maxScreenAssets = 12;
const maxScreenAssetLength = 12;
const maxScreenAmountLength = 30;

/**
 * The balance of an account, non-zero amounts first. Without `maxColumns`, every asset on one line; with `maxColumns`,
 * the assets that fit on a screen, on lines of that width, and the number of the others.
 */
export function formatBalance(balance: Balance, maxColumns?: number): SafeText {
  const all = Object.entries(balance).map(([asset, { main_balance: amount }]) => ({ asset, amount }));
  if (all.length === 0) return text`empty`;
  const assets = [...all.filter(({ amount }) => isNonZero(amount)), ...all.filter(({ amount }) => !isNonZero(amount))];
  if (maxColumns === undefined)
    return join(
      assets.map(({ asset, amount }) => text`${formatAmount(amount)} ${asset}`),
      ', ',
    );
  const amounts = assets
    .slice(0, maxScreenAssets)
    .map(
      ({ asset, amount }) =>
        text`${formatAmount(amount, maxScreenAmountLength)} ${escape(asset, maxScreenAssetLength)}`,
    );
  const more = assets.length - amounts.length;
  return wrap(more === 0 ? amounts : [...amounts, `${more} more`], maxColumns);
}

export function formatMs(ms: number | undefined): string {
  return ms === undefined ? '–' : `${ms.toFixed(1)} ms`;
}

/** Times outside these years are no time of the exchange; `Date` throws far beyond them. */
const [minTimeMs, maxTimeMs] = [Date.UTC(2000), Date.UTC(10_000) - 1];

/** A time of the exchange, Unix seconds, in ISO 8601. A number that is no plausible time is shown as a number. */
export function formatTime(seconds: number | undefined): string {
  if (seconds === undefined) return 'unknown time';
  const ms = seconds * 1000;
  return ms >= minTimeMs && ms <= maxTimeMs ? new Date(ms).toISOString() : `invalid time ${seconds} s`;
}

/** How long ago a time was, in two units: `12 s`, `4m10`, `2h01`, `3d04`. */
export function formatAge(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  const [name, unit, part] = whole < 3600 ? ['m', 60, 1] : whole < 86_400 ? ['h', 3600, 60] : ['d', 86_400, 3600];
  return `${Math.floor(whole / unit)}${name}${String(Math.floor((whole % unit) / part)).padStart(2, '0')}`;
}
