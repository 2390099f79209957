// 503s to order: what a test or a demo asks the sandbox to answer instead of the truth.

/** Requests to answer with 503. */
export interface Outage {
  /** Only requests to this path; all when left out. */
  readonly path?: string;
  /** How many requests. */
  readonly times: number;
  /** Whether they are executed first, so that only the answer is lost. Default false. */
  readonly executed?: boolean;
  /** `Retry-After` of the answer, seconds. */
  readonly retryAfterSeconds?: number;
}

export class Outages {
  readonly #pending: { readonly outage: Outage; left: number }[] = [];

  add(outage: Outage): void {
    this.#pending.push({ outage, left: outage.times });
  }

  /** The outage that a request to the path falls into, if any; it counts as one of its times. */
  take(path: string): Outage | undefined {
    const found = this.#pending.find(({ outage, left }) => left > 0 && (outage.path === undefined || outage.path === path));
    if (found === undefined) return undefined;
    found.left -= 1;
    return found.outage;
  }
}

/** What the gateway answers when the exchange is away: HTML, not the exchange's JSON. */
export function unavailableAnswer({ retryAfterSeconds }: Outage): Response {
  const headers = new Headers({ 'content-type': 'text/html' });
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds));
  return new Response('<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>', { status: 503, headers });
}
