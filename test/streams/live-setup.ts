// A client with both roads to a hand-written exchange: its live connection, and responses of a function.
import { createExchange, type ClientOptions, type Exchange, type Fetch } from 'exchange-rx';
import { LiveExchange } from '../support/live-exchange.js';
import { jsonAnswer, recordingFetch, type Sent } from '../support/recording-fetch.js';

export interface BothRoads {
  readonly server: LiveExchange;
  readonly exchange: Exchange;
  /** The requests of polls. */
  readonly sent: readonly Sent[];
}

let addresses = 0;

/** A number as the response is a status. Each client has its own address, because clients of one share their limits. */
export function bothRoads(respond: (url: URL) => unknown, delayMs = 0, live: ClientOptions['live'] = {}): BothRoads {
  const server = new LiveExchange();
  const { fetch: fetchNow, sent } = recordingFetch(({ url }) => {
    const body = respond(new URL(url));
    return typeof body === 'number' ? jsonAnswer({ message: 'not now' }, body) : jsonAnswer(body);
  });
  const fetch: Fetch = async (input, init) => {
    const response = await fetchNow(input, init);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    return response;
  };
  addresses += 1;
  const baseUrl = `https://both-roads-${addresses}.example`;
  const exchange = createExchange({ baseUrl, fetch, live, webSocket: server.webSocket, retry: { random: () => 0.5 } });
  return { server, exchange, sent };
}
