// What a request proved itself with, taken out of an answer that repeats it: a gateway may print the request that it refuses.
import type { Endpoint } from '../endpoint.js';
import type { WireRequest } from './send.js';

const instead = '[secret]';
/** What is shorter proves nothing, and is a part of any text. */
const shortestSecret = 4;

/** The text without the request's key, payload, signature and, where the endpoint is confidential, parameters. */
export function withoutSecrets(text: string, endpoint: Endpoint, request: WireRequest): string {
  let safe = text;
  for (const secret of secretsOf(endpoint, request)) {
    for (const written of writtenForms(secret)) safe = safe.replaceAll(written, instead);
  }
  return safe;
}

function secretsOf(endpoint: Endpoint, { headers, body = '' }: WireRequest): readonly string[] {
  switch (endpoint.authentication) {
    case 'none':
      return [];
    case 'signed':
      return [body, ...Object.entries(headers).flatMap(([name, value]) => (name.toLowerCase().startsWith('x-') ? [value] : []))];
    case 'form':
      return endpoint.confidential === true ? [body, ...new URLSearchParams(body).values()].filter(({ length }) => length >= shortestSecret) : [];
  }
}

/** As it is; as a text in JSON, with slashes escaped or not; and as a part of an address. */
function writtenForms(secret: string): ReadonlySet<string> {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return new Set([secret, inJson, inJson.replaceAll('/', '\\/'), encodeURIComponent(secret)]);
}
