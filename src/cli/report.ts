// What a command says: a text for people and the same as data.
import type { Balance } from '../model/balance.js';
import { isHeld, wholeAmount } from './amounts.js';
import { joined, shown, text, wrapped, type Text } from './text.js';

/** One thing that a command says. */
export interface Report {
  /** For people. */
  readonly text: Text;
  /** For `--json`: one line. */
  readonly data: object;
}

export function formatMs(ms: number | undefined): string {
  return ms === undefined ? '–' : `${ms.toFixed(1)} ms`;
}

/** The years that an exchange can mean; a JavaScript date reaches further, and throws beyond that. */
const [earliest, latest] = [Date.UTC(2000), Date.UTC(10_000) - 1];

/** A time of the exchange, Unix seconds. A number that can be no time is written as the number that it is. */
export function formatTime(seconds: number | undefined): string {
  if (seconds === undefined) return 'at an unknown time';
  const ms = seconds * 1000;
  return ms >= earliest && ms <= latest ? new Date(ms).toISOString() : `at ${seconds} s, which is no time`;
}

/** As many assets, and of each as much, as a screen has room for. */
const maxAmounts = 12;
const maxAssetLength = 12;
const maxAmountLength = 30;

/**
 * What an account holds, first that of which there is something: all of it on one line, or on lines of so many columns
 * what a screen has room for, and the number of the other assets.
 */
export function formatAmounts(balance: Balance, columns?: number): Text {
  const all = Object.entries(balance).map(([asset, { main_balance: amount }]) => ({ asset, amount }));
  if (all.length === 0) return text`nothing`;
  const assets = [...all.filter(({ amount }) => isHeld(amount)), ...all.filter(({ amount }) => !isHeld(amount))];
  if (columns === undefined)
    return joined(
      assets.map(({ asset, amount }) => text`${wholeAmount(amount)} ${asset}`),
      ', ',
    );
  const amounts = assets
    .slice(0, maxAmounts)
    .map(({ asset, amount }) => text`${wholeAmount(amount, maxAmountLength)} ${shown(asset, maxAssetLength)}`);
  const more = assets.length - amounts.length;
  return wrapped(more === 0 ? amounts : [...amounts, `${more} more`], columns);
}
