// The feed of one page: the newest state of each part, at most ten times a second. A page that reads slowly skips states;
// nothing waits in a queue.
import type { ServerResponse } from 'node:http';
import { Subscription, type Observable } from 'rxjs';
import type { PartValues, Series, Update } from './messages.js';
import type { PartUpdate } from './parts/page-parts.js';

const everyMs = 100;
/** A page that has read nothing for this long is gone. */
const maxStallMs = 30_000;

/** Sends the parts until the page leaves, or they end. The head of the response is written. */
export function streamPage(response: ServerResponse, parts$: Observable<PartUpdate>): Subscription {
  const waiting = new Map<keyof PartValues, PartUpdate>();
  /** The points of each series that the page has. */
  const sent = new Map<keyof PartValues, ReadonlySet<object>>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stall: ReturnType<typeof setTimeout> | undefined;
  let sentAt = Number.NEGATIVE_INFINITY;
  const stream = new Subscription();
  const end = () => {
    stream.unsubscribe();
  };

  const cut = ({ name, value }: PartUpdate): PartValues[keyof PartValues] => {
    if (!('points' in value)) return value;
    const known = sent.get(name);
    sent.set(name, new Set<object>(value.points));
    return known === undefined ? value : unsentOf(value, known);
  };
  const send = () => {
    timer = undefined;
    const update: Update = {
      now: Date.now(),
      parts: Object.fromEntries([...waiting].map(([name, part]) => [name, cut(part)])),
    };
    waiting.clear();
    sentAt = performance.now();
    if (!response.write(`data: ${JSON.stringify(update)}\n\n`)) stall = setTimeout(end, maxStallMs);
  };
  const schedule = () => {
    if (timer !== undefined || stall !== undefined) return;
    timer = setTimeout(send, Math.max(0, sentAt + everyMs - performance.now()));
  };
  const onDrain = () => {
    clearTimeout(stall);
    stall = undefined;
    if (waiting.size > 0) schedule();
  };

  response.on('drain', onDrain);
  stream.add(() => {
    clearTimeout(timer);
    clearTimeout(stall);
    response.off('drain', onDrain);
    response.destroy();
  });
  const next = (part: PartUpdate) => {
    waiting.set(part.name, part);
    schedule();
  };
  stream.add(parts$.subscribe({ next, error: end, complete: end }));
  return stream;
}

/** The points of a series from the first one on that the page lacks, or has in another state. */
function unsentOf<Points extends Series<{ readonly at: number }>>(series: Points, sent: ReadonlySet<object>): Points {
  const { points } = series;
  const from = points.findIndex((point) => !sent.has(point));
  return { ...series, whole: from === 0 || points.length === 0, points: from === -1 ? [] : points.slice(from) };
}
