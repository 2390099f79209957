// The floor: what one would write by hand for one endpoint, knowing what it costs, with no check of anything.
import { createHmac, createSecretKey, randomUUID } from 'node:crypto';
import { Agent } from 'undici';
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
