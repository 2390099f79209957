import type { Fetch } from 'exchange-rx';

/** An exchange whose answers do not bear the identifier that was sent. */
export function withoutIdentifiers(fetch: Fetch): Fetch {
  return async (url, init) => {
    const answer = await fetch(url, init);
    return new Response((await answer.text()).replaceAll(/"clientOrderId":"[^"]*"/g, '"clientOrderId":""'), answer);
  };
}
