// A client process of the soak test of order books: watches them for the given time, and reports its memory.
import { createExchange } from 'exchange-rx';
import { givenOptions, sendToParent } from '../support/children.js';
import { measureUsage } from './usage.js';

export interface LiveClientOptions {
  readonly url: string;
  readonly markets: number;
  readonly seconds: number;
}

const warmUpMs = 5000;

const { url, markets, seconds } = givenOptions() as LiveClientOptions;
const exchange = createExchange({ baseUrl: 'https://exchange.example', live: { url } });
let live = 0;
let stale = 0;
let lost = 0;
exchange.events$.subscribe((event) => {
  if (event.type === 'live-connection' && event.state.status === 'waiting') lost += 1;
});
for (let index = 0; index < markets; index += 1) {
  exchange.live.orderBook({ market: `M${index}_USDT` }).subscribe(({ status }) => {
    if (status === 'live') live += 1;
    else stale += 1;
  });
}
// Subscribers who come and go, of books that are watched and of others.
let visits = 0;
setInterval(() => {
  visits += 1;
  const visit = exchange.live.orderBook({ market: `M${visits % (2 * markets)}_USDT`, limit: 5 }).subscribe();
  setTimeout(() => {
    visit.unsubscribe();
  }, 1500);
}, 500);

const usage = await measureUsage(warmUpMs, seconds);
/** Books that were emitted, live and stale, and connections that were lost. */
const report = { live, stale, lost, ...usage };
export type LiveClientReport = typeof report;
sendToParent(report);
process.exit();
