// The words of the banner: cause, since when, next attempt, one action.
import { clock, count, lasting, until } from './format.js';
import type { State } from './state.js';
import { lostStream, worstOf } from './worst.js';

export interface BannerView {
  readonly kind: 'down' | 'reconnecting' | 'doubt';
  readonly head: string;
  readonly text: string;
  readonly action: { readonly label: string; readonly copies?: string } | undefined;
}

export function bannerView(state: State): BannerView | undefined {
  const { parts, link, now } = state;
  const { kind, since } = worstOf(state);
  const from = `All figures below are from before ${clock(since)}.`;
  if (link.status === 'lost' || link.status === 'rejected') {
    const head = `The page lost its dashboard ${lasting(now - since)} ago.`;
    const why =
      link.status === 'lost'
        ? 'It reconnects by itself.'
        : 'It was rejected: if the dashboard was restarted, open its new URL.';
    return {
      kind: kind === 'down' ? 'down' : 'reconnecting',
      head,
      text: `${why} ${from}`,
      action: { label: 'Try now' },
    };
  }
  const { links } = parts;
  if (links === undefined) return undefined;
  switch (kind) {
    case 'down': {
      const next = links.requests.nextAttemptAt;
      const attempt = next === null ? '' : ` Next attempt ${next > now ? `in ${until(next - now)}` : 'now'}.`;
      return {
        kind,
        head: `Exchange down for ${lasting(now - since)}.`,
        text: `No response since ${clock(since)}${causeOf(links.requests.reason)}. ${from}${attempt}`,
        action: undefined,
      };
    }
    case 'reconnecting': {
      const lost = lostStream(links) ?? links.stream;
      const name = lost === links.stream ? 'Live connection' : "The account's live connection";
      const next = lost.nextAttemptAt;
      const attempt = `Attempt ${lost.attempt}${next === null || next <= now ? ' now' : ` in ${until(next - now)}`}${causeOf(lost.reason)}.`;
      const read = parts.about?.account === true ? '; orders and balances are read by requests.' : '.';
      return {
        kind,
        head: `${name} lost ${lasting(now - since)} ago.`,
        text: `${attempt} Hatched figures are from before ${clock(since)}${read}`,
        action: undefined,
      };
    }
    case 'doubt':
      return doubtView(state);
    case 'live':
    case 'waiting':
    case 'degraded':
      return undefined;
  }
}

function doubtView({ parts, now }: State): BannerView | undefined {
  const doubts = parts.orders?.inDoubt ?? [];
  const [first] = doubts;
  if (first === undefined) return undefined;
  const { market, endpoint, sentAt, phase, clientOrderId } = first;
  const next =
    phase === 'looking-up'
      ? 'It may be open. It is being looked up.'
      : 'It may be open. Its lookups ended: resume it, or compare the open orders.';
  const sent = `${endpoint} ${market}, sent ${clock(sentAt)}, no response for ${lasting(now - sentAt)}.`;
  return {
    kind: 'doubt',
    head: `${count(doubts.length, 'order')} in doubt:`,
    text: `${sent} ${next}`,
    action: { label: `Copy ${clientOrderId}`, copies: clientOrderId },
  };
}

function causeOf(reason: string | undefined): string {
  return reason === undefined ? '' : ` (${reason})`;
}
