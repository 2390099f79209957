// Texts of the exchange, as the page can show them: of a bounded length, and with everything in them to be seen.
import { createHash } from 'node:crypto';
import { codePoints, replaceUnprintable } from '../../model/printable.js';
import { wholeAmount } from '../amounts.js';

const maxTextLength = 200;
const maxNameLength = 48;

/** Accents above two others, which are drawn over the line above. */
const piledUp = /(?<=\p{M}{2})\p{M}/gu;

/** A text with what cannot be seen as `\u{…}`, cut to a length. */
export function shownText(text: string, maxLength = maxTextLength): string {
  // A character has two code units at most, and none becomes less than one character.
  const visible = Array.from(
    replaceUnprintable(text.slice(0, 2 * (maxLength + 1)), codePoints).replaceAll(piledUp, codePoints),
  );
  return visible.length <= maxLength ? visible.join('') : `${visible.slice(0, maxLength).join('')}…`;
}

/**
 * A name, such as of an asset. One that is not shown as it is has a digest of itself at its end, so that two are never
 * shown as one.
 */
export function shownName(name: string): string {
  const shown = shownText(name, maxNameLength);
  return shown === name ? name : `${shown} #${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}

/** An amount. One that is too long is not cut: it would be another amount. */
export function shownAmount(amount: string): string {
  return shownText(wholeAmount(amount));
}
