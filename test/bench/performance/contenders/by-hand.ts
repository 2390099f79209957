// The floor: what one would write by hand for one endpoint, knowing what it costs, with no check of anything.
import { createSecretKey, randomUUID } from 'node:crypto';
import { Agent } from 'undici';
import { fetchTransport } from '../../../../src/http/index.js';
import { apiSecret, order, orderPath, signed, type Open } from './contender.js';
import { leanFetch } from './lean-fetch.js';

const secret = createSecretKey(apiSecret, 'utf8');
const signedOrder = () => signed({ ...order, clientOrderId: randomUUID() }, secret);

export const undiciByHand: Open = (baseUrl, connections) => {
  const agent = new Agent({ connections });
  return {
    async place() {
      const answer = await agent.request({ origin: baseUrl, path: orderPath, method: 'POST', ...signedOrder() });
      const { orderId } = (await answer.body.json()) as { orderId: number };
      return orderId;
    },
  };
};

/** A `fetch` on undici's dispatcher, without streams. */
export const leanFetchByHand: Open = (baseUrl, connections) => {
  const fetch = leanFetch(connections);
  const url = baseUrl + orderPath;
  return {
    async place() {
      const answer = await fetch(url, {
        method: 'POST',
        signal: new AbortController().signal,
        ...signedOrder(),
      });
      const { orderId } = JSON.parse(await answer.text()) as { orderId: number };
      return orderId;
    },
  };
};

/** ky on that `fetch`, called as this package calls it for the option `fetch`. */
export const kyByHand: Open = (baseUrl, connections) => {
  const options = { onSent: () => undefined, maxResponseBytes: 2 ** 20 };
  const transport = fetchTransport(leanFetch(connections));
  const url = baseUrl + orderPath;
  return {
    async place() {
      const { body } = await transport.send({ url, method: 'POST', ...signedOrder() }, options).response;
      const { orderId } = JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString()) as {
        orderId: number;
      };
      return orderId;
    },
  };
};
