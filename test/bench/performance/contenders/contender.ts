// What every contender does: places a signed stock market order, and reads the response into a value that a program can
// use.
import { createHmac, type KeyObject } from 'node:crypto';

export const apiKey = 'benchmark-key';
export const apiSecret = 'benchmark-secret';
export const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
export const orderPath = '/api/v4/order/stock_market';

let lastNonce = 0;

/** The headers and the body of a request that places an order with these fields. */
export function signed(fields: object, secret: string | KeyObject) {
  lastNonce = Math.max(lastNonce + 1, Date.now());
  const body = JSON.stringify({ ...fields, request: orderPath, nonce: String(lastNonce), nonceWindow: true });
  const payload = Buffer.from(body).toString('base64');
  const headers = {
    'content-type': 'application/json',
    'X-TXC-APIKEY': apiKey,
    'X-TXC-PAYLOAD': payload,
    'X-TXC-SIGNATURE': createHmac('sha512', secret).update(payload).digest('hex'),
  };
  return { headers, body };
}

export interface Contender {
  /** Places one order; resolves to its number. */
  place(): Promise<number>;
}

/** Places `count` orders, `concurrency` at once. */
export async function placeMany(contender: Contender, count: number, concurrency: number): Promise<void> {
  let left = count;
  const placeSome = async () => {
    while (left > 0) {
      left -= 1;
      await contender.place();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, placeSome));
}

export type Open = (baseUrl: string, connections: number) => Contender | Promise<Contender>;
