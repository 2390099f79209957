// Every endpoint that the exchange has published, by method and path, in its order.
import { publishedDescription } from '../../test/support/published-shape.js';

/** The v4 ticker replaces it. */
const replaced = '/api/v1/public/ticker';

export const publishedEndpoints: readonly string[] = publishedDescription
  .filter(({ path }) => path !== replaced)
  .map(({ method, path }) => `${method} ${path}`);
