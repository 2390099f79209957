import type { Fetch } from 'exchange-rx';

/** An exchange whose responses lack the identifier of the request. */
export function withoutIdentifiers(fetch: Fetch): Fetch {
  return async (url, init) => {
    const answer = await fetch(url, init);
    return new Response((await answer.text()).replaceAll(/"clientOrderId":"[^"]*"/g, '"clientOrderId":""'), answer);
  };
}
