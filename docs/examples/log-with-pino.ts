// A log line for everything that a client does on the wire. Events hold no parameters and no secrets.
import { createExchange, type ClientEvent } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { pino, type Level } from 'pino';
import { lastValueFrom } from 'rxjs';

const log = pino({ level: 'debug' });
const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());

function levelOf(event: ClientEvent): Level {
  switch (event.type) {
    case 'limit':
    case 'sharing':
      return 'error'; // a 429, or Redis is gone: someone should look
    case 'order':
      return event.progress === 'unknown' ? 'error' : 'warn';
    case 'retry':
    case 'unreadable':
      return 'warn';
    case 'response':
      return event.result === 'error' ? 'warn' : 'debug';
    case 'request':
    case 'wait':
      return 'debug';
  }
}

exchange.events$.subscribe((event) => {
  log[levelOf(event)](event, event.type);
});

sandbox.fault({ kind: 'status', path: '/api/v4/order/stock_market', times: 1, executed: true });
await lastValueFrom(exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }));
