// The exchange of the benchmark, in a process of its own: fills every order at once, and looks at nothing
// else, so that the client is measured. A message by IPC ends it.
import { createServer, type IncomingMessage } from 'node:http';
import { sendToParent } from '../../support/children.js';
import { listening } from '../../support/ports.js';

let orders = 0;

function answerTo(path: string, body: string): string {
  if (path === '/api/v4/public/ping') return '["pong"]';
  if (path === '/api/v4/main-account/balance')
    return '{"BTC":{"main_balance":"2.5"},"USDT":{"main_balance":"25000.75"}}';
  orders += 1;
  const { market, side, amount, clientOrderId } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  const identity = { orderId: orders, clientOrderId, market, side, amount };
  const filled = { dealMoney: '599.9', dealStock: '0.01', dealFee: '0.5999', left: '0', status: 'FILLED' };
  return JSON.stringify({
    ...identity,
    type: 'stock market',
    timestamp: 1700000000.123,
    ...filled,
    takerFee: '0.001',
    makerFee: '0.001',
    postOnly: false,
    stp: 'no',
  });
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  read(request).then(
    (body) => {
      // Without a date no clock is learned: see the contender.
      response.sendDate = false;
      const text = answerTo(request.url ?? '', body);
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        .end(text);
    },
    (error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    },
  );
});
process.on('disconnect', () => process.exit());
const opened = { baseUrl: `http://127.0.0.1:${await listening(server)}` };
export type ExchangeOpened = typeof opened;
sendToParent(opened);
