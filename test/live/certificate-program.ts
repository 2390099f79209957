// A program that subscribes over TLS, and says how the connection was: the environment is its parent's choice.
import { createExchange } from '../../src/index.js';
import { filter, firstValueFrom } from 'rxjs';
import { givenOptions, sendToParent } from '../support/children.js';

const { port, ...proxy } = givenOptions() as { readonly port: number; readonly proxy?: string };
const exchange = createExchange({ baseUrl: `https://localhost:${port}`, ...proxy });
const price = exchange.live.lastPrice({ markets: ['BTC_USDT'] }).subscribe();
const { status } = await firstValueFrom(
  exchange.live.state$.pipe(filter((state) => state.status === 'open' || state.status === 'waiting')),
);
price.unsubscribe();
sendToParent({ status });
