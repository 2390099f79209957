// The exchange as the witness of everything: health, latency, counts, limits, events. It is never hatched.
import type { EventRow, LimitUsage } from '../../messages.js';
import { child, find, make, setFlag, setShare, setText, setTexts } from '../dom.js';
import type { Part } from './part.js';
import { sparkline } from './sparkline.js';
import { rowsOf } from '../rows.js';
import { clock, figure, lasting, latency, moment, none } from '../views/format.js';
import type { State } from '../views/state.js';
import { worstOf } from '../views/worst.js';

const hourMs = 3_600_000;
const fullShare = 0.8;
const maxEvents = 30;
const maxLimits = 5;

function limitText({ used, limit, queued, coolDownUntil }: LimitUsage, now: number): string {
  const more = [
    ...(queued > 0 ? [`${queued} queued`] : []),
    ...(coolDownUntil === null ? [] : [`429, cooling down for ${lasting(coolDownUntil - now)}`]),
  ];
  return [`${figure(String(used))} / ${figure(String(limit))}`, ...more].join(', ');
}

function withWindow({ rateLimit, windowMs }: LimitUsage): string {
  return `${rateLimit}, ${windowMs / 1000} s`;
}

export function exchange(): Part {
  const chart = sparkline(find('latency-chart'), 'latency');
  let now = 0;
  let isOneWindow = true;
  const drawLimits = rowsOf<LimitUsage>(find('limits'), {
    keyOf: ({ rateLimit }) => rateLimit,
    make: () => make('li', 'limit', make('span', '', make('span'), make('em')), make('span', 'track')),
    patch: (element, limit) => {
      const track = child(element, 1);
      setTexts(child(element, 0), [isOneWindow ? limit.rateLimit : withWindow(limit), limitText(limit, now)]);
      const share = limit.limit > 0 ? limit.used / limit.limit : 0;
      setShare(track, share);
      setFlag(track, 'full', share >= fullShare || limit.coolDownUntil !== null ? '' : undefined);
    },
  });
  const drawEvents = rowsOf<EventRow>(find('events'), {
    keyOf: ({ id }) => String(id),
    make: () => make('li', 'event', make('time'), make('span')),
    patch: (element, { at, kind, text }) => {
      setTexts(element, [moment(at, now), text]);
      setFlag(element, 'kind', kind);
    },
  });
  const drawSince = ({ parts: { links }, link, now: at }: State) => {
    if (links === undefined) return;
    const { status, since } = links.requests;
    // Without its own connection, the page knows what was.
    const isLost = link.status === 'lost' || link.status === 'rejected';
    setText(find('health-word'), isLost ? `was ${status} since` : `${status} since`);
    setText(find('health-since'), `${moment(since, at)} ${lasting((isLost ? link.since : at) - since)}`);
  };
  const counts = (id: string, number: number, label: string, isBad: boolean) => {
    setTexts(find(id), [label, String(number)]);
    setFlag(find(id), 'bad', isBad ? '' : undefined);
  };
  return {
    of: ['exchange', 'links', 'orders'],
    draw(state) {
      const { exchange: part, links } = state.parts;
      if (part === undefined || links === undefined) return;
      ({ now } = state);
      drawSince(state);
      const { status, p50Ms, p99Ms } = links.requests;
      const isDown = status === 'down';
      setText(find('health-latency'), isDown ? none : `${latency(p50Ms)} · ${latency(p99Ms)} ms`);
      const counted = now - part.countedSince;
      const over = counted >= hourMs - 60_000 ? '1 h' : lasting(counted);
      const { gaps, losses, errors } = part.counts;
      counts('count-gaps', gaps, `gaps, ${over}`, false);
      counts('count-losses', losses, `lost, ${over}`, links.stream.attempt > 0);
      counts('count-errors', errors, `errors, ${over}`, isDown || worstOf(state).kind === 'doubt');
      const [first, ...others] = part.limits.slice(0, maxLimits);
      isOneWindow = others.every(({ windowMs }) => windowMs === first?.windowMs);
      const { windowMs = 0 } = first ?? {};
      setText(find('limits-title'), `limits by use${isOneWindow && windowMs > 0 ? `, ${windowMs / 1000} s` : ''}`);
      drawLimits(part.limits.slice(0, maxLimits));
      drawEvents(part.events.slice(0, maxEvents));
    },
    tick(state) {
      drawSince(state);
      const points = state.parts.latency?.points ?? [];
      const place = find('latency-chart');
      place.ariaLabel = `Duration of requests over time, ${points.length} pings from ${clock(points[0]?.at)} to ${clock(points.at(-1)?.at)}`;
      chart(points.map(({ at, ms }) => ({ at, value: ms })));
    },
  };
}
