// The envelope of the real-time interface: requests, responses, pushes, rejections, and a connection of either door.
import { formatDecimal, isDecimal } from '../../model/decimal.js';
import { parsedJson } from '../json.js';

export interface LiveRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A message with values of a channel, whose method is its name with `_update`. */
export interface Push {
  /** The market of the values; absent when they are of several markets. */
  readonly market?: string;
  /** A list; an object in two channels of accounts. */
  readonly params: readonly unknown[] | Readonly<Record<string, unknown>>;
  /** The message of a recording, which is sent instead. */
  readonly text?: string;
}

export interface ChannelPush extends Push {
  readonly channel: string;
}

export class LiveRejection extends Error {
  override readonly name = 'LiveRejection';

  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export const invalidArgument = () => new LiveRejection(1, 'invalid argument');
export const unknownMethod = () => new LiveRejection(4, 'method not found');
export const unauthenticated = () => new LiveRejection(6, 'require authentication');
/** The codes that reject a token are not all published; neither is the text of code 11. */
export const invalidToken = (code: 1 | 6 | 11) =>
  code === 1 ? invalidArgument() : code === 6 ? unauthenticated() : new LiveRejection(code, 'invalid token');
export const tooManyRequests = () => new LiveRejection(7, 'too many requests');
export const unknownMarket = (market: string) => new LiveRejection(9, `market ${market} does not exist`);

/** Lists in lists; a proper request has three. JSON.stringify overflows the stack at some thousands. */
const maxDepth = 16;

export function readRequest(text: string): LiveRequest | undefined {
  const value = parsedJson(text);
  if (typeof value !== 'object' || value === null || !hasDepth(maxDepth, value)) return undefined;
  const { id, method, params }: { id?: unknown; method?: unknown; params?: unknown } = value;
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined;
  return typeof method === 'string' && Array.isArray(params) ? { id, method, params } : undefined;
}

function hasDepth(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => hasDepth(levels - 1, part));
}

export function responseText(id: number, outcome: { readonly result: unknown } | LiveRejection): string {
  if (!(outcome instanceof LiveRejection)) return printed({ error: null, result: outcome.result, id });
  const { code, message } = outcome;
  return printed({ error: { code, message }, result: null, id });
}

export function pushText({ channel, params, text }: ChannelPush): string {
  return text ?? printed({ method: `${channel}_update`, params, id: null });
}

/** JSON as the live exchange prints it: with a space after each colon and comma. */
function printed(value: unknown): string {
  if (isDecimal(value)) return `"${formatDecimal(value)}"`;
  if (Array.isArray(value)) return `[${value.map(printed).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}: ${printed(field)}`).join(', ')}}`;
}

export interface LiveSocket {
  sendText(text: string): void;
  /** Sends a close frame and ends the connection. */
  closeWith(code: number): void;
  /** Ends the connection without a close frame. */
  end(): void;
  /** Nothing passes in either direction any more, and the connection does not end. */
  freeze(): void;
}

/** The response to a handshake; `refused`: the connection is refused or reset. */
export type Admission = { readonly status: number; readonly retryAfterSeconds?: number | undefined } | 'refused';
