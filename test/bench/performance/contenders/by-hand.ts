// The floor: what one would write by hand for one endpoint, knowing what it costs, with no check of anything.
import { createHmac, createSecretKey, randomUUID } from 'node:crypto';
import { Agent } from 'undici';
import { createSend, undiciFetch } from '../../../../src/http/index.js';
import { apiKey, apiSecret, order, orderPath, type Open } from './contender.js';

const secret = createSecretKey(apiSecret, 'utf8');
let lastNonce = 0;

function signed(): { readonly headers: Record<string, string>; readonly body: string } {
  lastNonce = Math.max(lastNonce + 1, Date.now());
  const body = JSON.stringify({
    ...order,
    clientOrderId: randomUUID(),
    request: orderPath,
    nonce: String(lastNonce),
    nonceWindow: true,
  });
  const payload = Buffer.from(body).toString('base64');
  const signature = createHmac('sha512', secret).update(payload).digest('hex');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'X-TXC-APIKEY': apiKey,
      'X-TXC-PAYLOAD': payload,
      'X-TXC-SIGNATURE': signature,
    },
  };
}

/** undici's own request. */
export const undiciByHand: Open = (baseUrl, connections) => {
  const agent = new Agent({ connections });
  return {
    async place() {
      const answer = await agent.request({ origin: baseUrl, path: orderPath, method: 'POST', ...signed() });
      const { orderId } = (await answer.body.json()) as { orderId: number };
      return orderId;
    },
  };
};

/** The `fetch` that this package sends with. */
export const leanFetchByHand: Open = (baseUrl, connections) => {
  const fetch = undiciFetch({ connections, connectTimeoutMs: 5000 });
  const url = baseUrl + orderPath;
  return {
    async place() {
      const answer = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        signal: new AbortController().signal,
        ...signed(),
      });
      const { orderId } = JSON.parse(await answer.text()) as { orderId: number };
      return orderId;
    },
  };
};

/** ky on that `fetch`, called as this package calls it. */
export const kyByHand: Open = (baseUrl, connections) => {
  const options = { onWrite: () => undefined, maxResponseBytes: 2 ** 20, isUrgent: false };
  const send = createSend(undiciFetch({ connections, connectTimeoutMs: 5000 }));
  const url = baseUrl + orderPath;
  return {
    async place() {
      const { body } = await send({ url, method: 'POST', ...signed() }, new AbortController().signal, options);
      const { orderId } = JSON.parse(body) as { orderId: number };
      return orderId;
    },
  };
};
