// Logs every event of a client with pino. Events contain no parameters but `client_order_id`, and no secrets.
import { createExchange, type ClientEvent } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { pino, type Level } from 'pino';

const log = pino({ level: 'debug' });
const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());

function levelOf(event: ClientEvent): Level {
  switch (event.type) {
    case 'limit': // a 429
    case 'sharing': // the connection to Redis was lost or restored
      return 'error';
    case 'order':
    case 'movement': // of a transfer or a withdrawal
      return event.progress === 'unknown' ? 'error' : 'warn';
    case 'live-connection':
      return event.state.status === 'waiting' ? 'warn' : 'debug';
    case 'live-stale':
      return event.stale ? 'warn' : 'debug';
    case 'live-gap':
      return 'warn';
    case 'retry':
    case 'unreadable':
      return 'warn';
    case 'response':
    case 'end':
      return event.result === 'error' ? 'warn' : 'debug';
    case 'request':
    case 'wait':
      return 'debug';
  }
}

exchange.events$.subscribe((event) => log[levelOf(event)](event, event.type));

// For the demonstration: the order is executed, and its response is lost.
sandbox.fault({ kind: 'status', path: '/api/v4/order/stock_market', executed: true });
exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }).subscribe();
