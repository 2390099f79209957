// Levels of the order book as rows of a ladder: grouped by a step of the price, with the sum from the best price on.
// Decimals are computed as integers of one scale, never as floating point.
import type { BookLevel } from '../../messages.js';

export interface LadderRow {
  readonly price: string;
  readonly amount: string;
  readonly sum: string;
  readonly own: string;
  readonly share: number;
}

/** The server sends no more levels, so that the last group may lack some. */
const maxLevels = 100;

/** @param step price step of a group; the levels as they are where it is empty */
export function ladder(book: Readonly<Record<'asks' | 'bids', readonly BookLevel[]>>, step: string, maxRows: number) {
  const rowsOf = (side: 'asks' | 'bids') => {
    const groups = step === '' ? book[side].map(levelRow) : grouped(book[side], side, step);
    const whole = step !== '' && book[side].length >= maxLevels ? groups.slice(0, -1) : groups;
    return whole.slice(0, maxRows);
  };
  const [asks, bids] = [summed(rowsOf('asks')), summed(rowsOf('bids'))];
  // Both sides have one scale.
  const largest = Math.max(0, ...[...asks, ...bids].map(({ sum }) => Number(sum)));
  const decimals = sumDecimals(largest);
  const scaledRow = (row: Summed): LadderRow => ({
    ...{ ...row, sum: roundedTo(row.sum, decimals), share: largest > 0 ? Number(row.sum) / largest : 0 },
  });
  return { asks: asks.map(scaledRow), bids: bids.map(scaledRow) };
}

type Summed = Group & { readonly sum: string };

function summed(groups: readonly Group[]): readonly Summed[] {
  let sum = '0';
  return groups.map((group) => {
    // After an amount that is no number, no sum is known.
    sum = sum === '' ? '' : (add(sum, group.amount) ?? '');
    return { ...group, sum };
  });
}

/** Half a step is rounded up. */
function roundedTo(text: string, decimals: number): string {
  const exact = scaled(text);
  if (exact === undefined) return '';
  if (exact.scale <= decimals) return written(atScale(exact, decimals), decimals, decimals);
  const step = 10n ** BigInt(exact.scale - decimals);
  return written((exact.digits + step / 2n) / step, decimals, decimals);
}

/** Decimals that leave a sum three digits and more: it is rounded, as it is there to be compared. */
export function sumDecimals(largest: number): number {
  if (!(largest > 0)) return 2;
  return Math.min(8, Math.max(largest >= 1000 ? 0 : 2, 2 - Math.floor(Math.log10(largest))));
}

type Group = Pick<LadderRow, 'price' | 'amount' | 'own'>;

const levelRow = ([price, amount, own = '']: BookLevel): Group => ({ price, amount, own });

function grouped(levels: readonly BookLevel[], side: 'asks' | 'bids', step: string): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const [price, amount, own = ''] of levels) {
    const name = groupOf(price, step, side);
    if (name === undefined) continue;
    const known = groups.get(name) ?? { amount: '0', own: '' };
    const joinedOwn = own === '' ? known.own : add(known.own || '0', own);
    groups.set(name, { price: name, amount: add(known.amount, amount) ?? none, own: joinedOwn ?? '' });
  }
  return [...groups.values()];
}

const none = '–';

export function groupOf(price: string, step: string, side: 'asks' | 'bids'): string | undefined {
  const [exact, by] = [scaled(price), scaled(step)];
  if (exact === undefined || by === undefined || by.digits <= 0n) return undefined;
  const scale = Math.max(exact.scale, by.scale);
  const [value, unit] = [atScale(exact, scale), atScale(by, scale)];
  const down = (value / unit) * unit;
  return written(side === 'bids' || down === value ? down : down + unit, scale, by.scale);
}

export function stepsOf(tick: string): readonly string[] {
  const parsed = scaled(tick);
  if (parsed === undefined || parsed.digits <= 0n) return [];
  return [1n, 10n, 100n, 1000n].map((times) => written(parsed.digits * times, parsed.scale, 0));
}

/** `undefined` where one of them is no decimal number. */
export function add(one: string, other: string): string | undefined {
  const [first, second] = [scaled(one), scaled(other)];
  if (first === undefined || second === undefined) return undefined;
  const scale = Math.max(first.scale, second.scale);
  return written(atScale(first, scale) + atScale(second, scale), scale, scale);
}

interface Scaled {
  readonly digits: bigint;
  readonly scale: number;
}

function scaled(text: string): Scaled | undefined {
  const [, whole, fraction = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : { digits: BigInt(whole + fraction), scale: fraction.length };
}

function atScale({ digits, scale }: Scaled, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale);
}

/** With at least so many decimals, and no more zeros than these. */
function written(digits: bigint, scale: number, minScale: number): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text
    .slice(text.length - scale)
    .replace(/0+$/, '')
    .padEnd(minScale, '0');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
