// The words of the banner: cause, since when, next attempt, one action.
import { clock, count, figure, lasting, until } from './format.js';
import { decimalsOf } from './market.js';
import type { State } from './state.js';
import { lostStream, worstOf } from './worst.js';

/** `reconnect`: the page to its dashboard. `try`: the dashboard to the exchange. */
export type BannerAction =
  | { readonly kind: 'reconnect' | 'try'; readonly label: string }
  | { readonly kind: 'copy'; readonly label: string; readonly copies: string };

export interface BannerView {
  readonly kind: 'down' | 'reconnecting' | 'doubt';
  readonly head: string;
  readonly text: string;
  readonly action?: BannerAction;
}

export function bannerView(state: State): BannerView | undefined {
  const { parts, link, now } = state;
  const { kind, since } = worstOf(state);
  const from = `All figures below are from before ${clock(since)}.`;
  const nextWords = (next: number | null) => (next === null || next <= now ? 'now' : `in ${until(next - now)}`);
  if (link.status === 'lost' || link.status === 'rejected') {
    const why =
      link.status === 'lost'
        ? 'It reconnects by itself.'
        : 'It was rejected: if the dashboard was restarted, open its new URL.';
    const head = `The page lost its dashboard ${lasting(now - since)} ago.`;
    return {
      kind: kind === 'down' ? kind : 'reconnecting',
      head,
      text: `${why} ${from}`,
      action: { kind: 'reconnect', label: 'Try now' },
    };
  }
  const { links, orders: { inDoubt: [doubt, ...others] = [] } = {} } = parts;
  if (links === undefined) return undefined;
  if (kind === 'down') {
    const { reason, nextAttemptAt: next } = links.requests;
    const attempt = next === null ? '' : ` Next attempt ${nextWords(next)}.`;
    const text = `No response since ${clock(since)}${causeOf(reason)}. ${from}${attempt}`;
    return { kind, head: `Exchange down for ${lasting(now - since)}.`, text, action: tryNow };
  }
  if (kind === 'reconnecting') {
    const lost = lostStream(links) ?? links.stream;
    const name = lost === links.stream ? 'Live connection' : "The account's live connection";
    const attempt = `Attempt ${lost.attempt} ${nextWords(lost.nextAttemptAt)}${causeOf(lost.reason)}.`;
    const read = parts.about?.account === true ? '; orders and balances are read by requests.' : '.';
    const text = `${attempt} Hatched figures are from before ${clock(since)}${read}`;
    return { kind, head: `${name} lost ${lasting(now - since)} ago.`, text, action: tryNow };
  }
  if (kind !== 'doubt' || doubt === undefined) return undefined;
  const { market, side, amount, price, sentAt, phase, clientOrderId } = doubt;
  const decimals = decimalsOf(state, market);
  const next =
    phase === 'looking-up'
      ? 'It may be open. It is being looked up.'
      : 'It may be open. Its lookups ended: resume it, or compare the open orders.';
  const at = price === '' ? '' : ` at ${figure(price, decimals.price)}`;
  const sent = `${side} ${figure(amount, decimals.amount)} ${market}${at}, sent ${clock(sentAt)}, no response for ${lasting(now - sentAt)}.`;
  return {
    ...{ kind, head: `${count(others.length + 1, 'order')} in doubt:`, text: `${sent} ${next}` },
    action: { kind: 'copy', label: `Copy ${clientOrderId}`, copies: clientOrderId },
  };
}

const tryNow: BannerAction = { kind: 'try', label: 'Try now' };
const causeOf = (reason: string | undefined) => (reason === undefined ? '' : ` (${reason})`);
