// The links, and the worst state of all in words.
import type { Links, PartValues, StreamLink } from '../../messages.js';
import { age, lasting, latency, none } from './format.js';
import type { State } from './state.js';

export interface WorstView {
  /** `down`: requests fail. `reconnecting`: a live connection is lost. `doubt`: orders are in doubt. */
  readonly kind: 'live' | 'waiting' | 'degraded' | 'doubt' | 'reconnecting' | 'down';
  readonly text: string;
  readonly since: number;
}

/** The worst state of the page: its own link comes before all that it has received. */
export function worstOf({ parts, link, now }: State): WorstView {
  const { links } = parts;
  const view = (kind: WorstView['kind'], words: string, since: number): WorstView => ({
    ...{ kind, since, text: words.replace('%', lasting(now - since)) },
  });
  if (link.status === 'lost') return view('reconnecting', 'Page lost %', link.since);
  if (link.status === 'rejected') return view('down', 'Page rejected', link.since);
  if (links === undefined) return view('waiting', 'connecting %', link.since);
  const { stream, requests } = links;
  if (requests.status === 'down') return view('down', 'Exchange down %', requests.since);
  const lost = lostStream(links);
  if (lost !== undefined) return view('reconnecting', 'Reconnecting %', lost.since);
  const doubts = parts.orders?.inDoubt ?? [];
  if (doubts.length > 0)
    return view('doubt', `${doubts.length} in doubt`, Math.min(...doubts.map(({ sentAt }) => sentAt)));
  if (requests.status === 'degraded') return view('degraded', 'Degraded %', requests.since);
  const since = Math.max(requests.since, stream.since);
  const isWaiting = requests.status === 'waiting' || stream.status !== 'live';
  return isWaiting ? view('waiting', 'connecting', since) : view('live', 'Live', since);
}

export function lostStream({ stream, accountStream }: Links): StreamLink | undefined {
  return [stream, accountStream].find((link) => link !== undefined && link.attempt > 0);
}

export interface LinkView {
  readonly text: string;
  readonly bad?: 'warn' | 'down' | undefined;
}

export function linkViews({ parts, link, now }: State, receivedMs: number): readonly LinkView[] {
  const page: LinkView =
    link.status === 'live' || link.status === 'connecting'
      ? { text: link.status === 'live' ? age(receivedMs) : 'connecting' }
      : { text: `${link.status} ${lasting(now - link.since)}`, bad: 'warn' };
  // What the dashboard said of them before is not known to be true.
  if (parts.links === undefined || page.bad !== undefined) return [page, { text: none }, { text: none }];
  const { stream, requests } = parts.links;
  const isDown = requests.status === 'down';
  const lost = lostStream(parts.links);
  const at = newestLive(parts);
  return [
    page,
    lost !== undefined
      ? { text: `lost ${lasting(now - lost.since)}`, bad: isDown ? 'down' : 'warn' }
      : { text: stream.status !== 'live' ? stream.status : at === 0 ? 'open' : age(now - at) },
    isDown
      ? { text: (requests.reason ?? 'down').replace(/^.*: /, ''), bad: 'down' }
      : {
          text: requests.status === 'waiting' ? 'waiting' : `${latency(requests.latencyMs)} ms`,
          bad: requests.status === 'degraded' ? 'warn' : undefined,
        },
  ];
}

function newestLive({ market, book, trades, orders, positions }: Partial<PartValues>): number {
  const states = [market, book, trades, orders, positions].map((part) => part?.state);
  return Math.max(0, ...states.map((state) => (state?.status === 'live' ? (state.at ?? 0) : 0)));
}
