// A program with a live order book that says each status, until its parent ends it.
import { createExchange } from '../../src/index.js';
import { givenOptions, sendToParent } from '../support/children.js';

const { port } = givenOptions() as { readonly port: number };
createExchange({ baseUrl: `http://127.0.0.1:${port}` })
  .live.orderBook({ market: 'BTC_USDT' })
  .subscribe(({ status }) => {
    sendToParent({ status });
  });
