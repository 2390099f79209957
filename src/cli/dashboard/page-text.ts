// Texts of the exchange for the dashboard's page: of a bounded length, with every unprintable character escaped.
import { createHash } from 'node:crypto';
import { codePoints, replaceUnprintable } from '../../model/printable.js';
import { formatAmount } from '../terminal/index.js';

const maxTextLength = 200;
const maxNameLength = 48;

/** Combining marks after two others: a pile of them would cover the line above. */
const excessMarks = /(?<=\p{M}{2})\p{M}/gu;

export function pageText(text: string, maxLength = maxTextLength): string {
  // A character has at most two code units, and escaping never shortens a text.
  const visible = Array.from(
    replaceUnprintable(text.slice(0, 2 * (maxLength + 1)), codePoints).replaceAll(excessMarks, codePoints),
  );
  return visible.length <= maxLength ? visible.join('') : `${visible.slice(0, maxLength).join('')}…`;
}

/** A name, such as an asset. A name that was escaped or truncated ends in a digest, so that two names never look alike. */
export function pageName(name: string): string {
  const visible = pageText(name, maxNameLength);
  return visible === name ? name : `${visible} #${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}

const plainAmount = /^-?[\d.]{0,64}$/;

export function pageAmount(amount: string): string {
  return plainAmount.test(amount) ? amount : pageText(formatAmount(amount));
}
