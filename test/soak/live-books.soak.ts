// Order books at 1,000 messages a second, with connections that are cut: the memory at the end is that of the beginning.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FeedOpened, FeedOptions } from '../bench/live/feed.js';
import { start, type Child } from '../support/children.js';
import type { LiveClientOptions, LiveClientReport } from './live-client.js';
import { report } from './report.js';
import { heapGrowth, usageRows } from './usage.js';

/** An hour by `npm run soak:live`. Half a minute detects what grows with each message or connection. */
const seconds = Number(process.env['LIVE_SOAK_SECONDS'] ?? 30);
const perSecond = 1000;
let feed: Child;
let url: string;

beforeAll(async () => {
  const options: FeedOptions = { perSecond, levels: 100, cutEveryMs: Math.min(60_000, (seconds * 1000) / 3) };
  feed = start(new URL('../bench/live/feed.ts', import.meta.url), options);
  ({ url } = await feed.ask<FeedOpened>());
});
afterAll(() => {
  feed.process.kill();
});

it(
  'order books at 1,000 messages a second end within 5 MB of the memory with which they began',
  async () => {
    const options: LiveClientOptions = { url, markets: 100, seconds };
    const reported = await start(new URL('live-client.ts', import.meta.url), options).ask<LiveClientReport>();
    report(
      `100 order books, ${seconds} s at ${perSecond} messages a second`,
      ['', ''],
      [
        ['live books emitted', `${reported.live}`],
        ['stale books emitted', `${reported.stale}`],
        ['connections lost', `${reported.lost}`],
        ...usageRows(reported),
      ],
    );
    expect(reported.lost).toBeGreaterThan(0);
    expect(reported.live).toBeGreaterThan(seconds * perSecond * 0.5);
    expect(heapGrowth(reported)).toBeLessThan(5);
  },
  seconds * 1000 + 120_000,
);
