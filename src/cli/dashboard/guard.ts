// Who may use the dashboard: those who have its token, from a page of its own. It rejects web pages of other sites, DNS
// names that were pointed at this machine, and local users without the token. No secret reaches it.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly content: string | Buffer;
  /** Default: plain text. */
  readonly type?: string;
  readonly allow?: string;
}

export function newToken(): string {
  return randomBytes(16).toString('hex');
}

/** On every response: the page loads nothing from elsewhere, and nothing else may load or show it. */
export const securityHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  connection: 'close',
} as const;

const wrongToken: Reply = {
  status: 403,
  content: 'The URL of this dashboard contains a token: open the URL that was printed.',
};

/** Requests of the page itself, and of a user who typed the URL, opened it from another program, or reloads. */
const readingSites = new Set<unknown>([undefined, 'none', 'same-origin']);
/** A user's navigation never acts. */
const actingSites = new Set<unknown>([undefined, 'same-origin']);
const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];
const maxBodyBytes = 4096;
/** The one request beside reading that needs no permission to trade: it changes nothing. */
const tryPath = '/try';

/** @param hosts names of this server beside those of the machine itself, without port */
export function createGuard(token: string, hosts: readonly string[], allowTrading: boolean) {
  const digest = digestOf(token);
  const names = new Set([...loopbackNames, ...hosts.map((host) => host.toLowerCase())]);

  const methodRejection = ({ method }: IncomingMessage, path: string): Reply | undefined => {
    if (method === 'GET' || (method === 'POST' && (allowTrading || path === tryPath))) return undefined;
    if (!allowTrading) return { status: 405, content: 'This dashboard is read-only: use GET.', allow: 'GET' };
    return { status: 405, content: 'Use GET or POST.', allow: 'GET, POST' };
  };

  /** Checks that the Host is this server, and that Origin and Sec-Fetch-Site are of this page or of the user. */
  const siteRejection = ({ method, headers }: IncomingMessage): Reply | undefined => {
    const { host = '', origin } = headers;
    const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
    const isOwnOrigin = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
    const sites = method === 'POST' ? actingSites : readingSites;
    if (names.has(name) && isOwnOrigin && sites.has(headers['sec-fetch-site'])) return undefined;
    return {
      status: 403,
      content:
        'This dashboard serves only the machine that it runs on, and no link from another page: copy its URL into a new tab.',
    };
  };

  /** The path of the request below the token, and its query; or why it is rejected. */
  return (request: IncomingMessage): { readonly path: string; readonly query: URLSearchParams } | Reply => {
    const [, given = '', path = '', query = ''] = /^\/([^/?]*)(\/[^?]*)(?:\?(.*))?$/.exec(String(request.url)) ?? [];
    const rejection = methodRejection(request, path) ?? siteRejection(request) ?? bodyRejection(request);
    if (rejection !== undefined) return rejection;
    return timingSafeEqual(digestOf(given), digest) ? { path, query: new URLSearchParams(query) } : wrongToken;
  };
}

function bodyRejection({ method, headers }: IncomingMessage): Reply | undefined {
  const length = Number(headers['content-length'] ?? 0);
  if (method === 'GET') {
    // An unread body would hide that the client has disconnected.
    const hasBody = headers['transfer-encoding'] !== undefined || length !== 0;
    return hasBody ? { status: 400, content: 'A GET request to this dashboard must not have a body.' } : undefined;
  }
  // No form of another site can send this type, whatever browsers say of sites.
  if (headers['content-type'] !== 'application/json') return { status: 415, content: 'Send application/json.' };
  return length > maxBodyBytes ? tooLarge : undefined;
}

const tooLarge: Reply = { status: 413, content: `A request has at most ${maxBodyBytes} bytes.` };

export async function readBody(request: IncomingMessage): Promise<{ readonly body: unknown } | Reply> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) return tooLarge;
    chunks.push(chunk);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return { body };
  } catch {
    return { status: 400, content: 'The body is not JSON.' };
  }
}

export function isReply(value: object): value is Reply {
  return 'status' in value;
}

export function respond(
  response: ServerResponse,
  { status, content, type = 'text/plain; charset=utf-8', allow }: Reply,
): void {
  response.writeHead(status, { ...securityHeaders, 'content-type': type, ...(allow === undefined ? {} : { allow }) });
  response.end(content);
}

/** All digests have one length, so that a comparison takes the same time for every token. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
