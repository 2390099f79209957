// An exchange that responds with these bodies, one for each request; the last one stays. A number is a status.
import { createExchange, type Exchange } from 'exchange-rx';
import { jsonAnswer, recordingFetch, type Sent } from '../support/recording-fetch.js';

/** Each has its own address: clients of one address share their limits. */
let addresses = 0;

export function scripted(bodies: readonly unknown[] | ((sent: Sent, index: number) => unknown)): Exchange {
  const { fetch, sent } = recordingFetch((one) => {
    const index = sent.length - 1;
    const body = typeof bodies === 'function' ? bodies(one, index) : bodies[Math.min(index, bodies.length - 1)];
    return typeof body === 'number' ? jsonAnswer({ message: 'not now' }, body) : jsonAnswer(body);
  });
  addresses += 1;
  const credentials = { apiKey: 'key', apiSecret: 'secret' };
  return createExchange({ baseUrl: `https://scripted-${addresses}.example`, credentials, fetch });
}
