// Every endpoint that the exchange has published, by method and path, in its order; and why the package has no method for
// some of them.
import { publishedDescription } from '../../test/support/published-shape.js';

/** The v4 ticker replaces it. */
const replaced = '/api/v1/public/ticker';

export const publishedEndpoints: readonly string[] = publishedDescription
  .filter(({ path }) => path !== replaced)
  .map(({ method, path }) => `${method} ${path}`);

/** The published endpoints that get no method, by method and path, and the reason. */
export const leftOut: ReadonlyMap<string, string> = new Map([
  [
    'POST /api/card-token',
    'The response is not published. The request holds a card number: a program that sends it must meet the rules of the card industry (PCI DSS).',
  ],
  ['GET /auth/login', 'A page for the browser of the user: `authorizationUrl` makes its address.'],
  [
    'POST /api/v4/sub-account/api-key/reset',
    'The published response is empty, so the new secret cannot be read, and the old one is lost. Delete the key, and create another.',
  ],
]);
