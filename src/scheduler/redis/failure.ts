// Why limits cannot be shared. Text from a server, a socket or the Redis client may quote the password or another
// tenant's data: it is matched against closed lists, and never passed on.

/** What follows from a failure, beside another attempt to connect. */
export type Consequence =
  /** The server no longer knows the granted permits, or knows them incorrectly. */
  | 'forgotten'
  /** Other processes share the rate limit on other terms: this process must not use a share of it. */
  | 'refused';

/** Limits cannot be shared now. The message contains only text of this package. */
export class SharingFailure extends Error {
  readonly consequence: Consequence | undefined;
  /**
   * Whether the failure lasts until a person does what the reason says: then it is reported even when the connection
   * was lost before.
   */
  readonly isLasting: boolean;

  constructor(reason: string, consequence?: Consequence, isLasting = false) {
    super(reason);
    this.consequence = consequence;
    this.isLasting = isLasting;
  }
}

/** Error replies of Redis, by their first word. */
const replies = {
  WRONGPASS: 'Redis rejected the user name or password',
  NOAUTH: 'Redis requires a password',
  NOPERM: 'the Redis user lacks permission for a command, key or channel',
  READONLY: 'the server is a replica: connect to its primary',
  LOADING: 'Redis is loading its data',
  MASTERDOWN: 'the server has lost its primary',
  OOM: 'Redis is out of memory',
  MISCONF: 'Redis refuses writes because it cannot save them',
  NOREPLICAS: 'Redis refuses writes because it has too few replicas',
  BUSY: 'Redis is busy with a script that does not end',
  CROSSSLOT: 'the server is part of a Redis Cluster: connect to a standalone primary',
  MOVED: 'the server is part of a Redis Cluster: connect to a standalone primary',
} as const;

/** Error codes of Node for sockets and TLS. */
const noConnection = 'no connection to Redis';
const noTrust = 'the TLS certificate of Redis is not trusted';
const codes = {
  ECONNREFUSED: noConnection,
  ECONNRESET: noConnection,
  ECONNABORTED: noConnection,
  EHOSTUNREACH: noConnection,
  EHOSTDOWN: noConnection,
  ENETUNREACH: noConnection,
  ENETDOWN: noConnection,
  EADDRNOTAVAIL: noConnection,
  ENOTFOUND: noConnection,
  EAI_AGAIN: noConnection,
  ETIMEDOUT: noConnection,
  EPIPE: noConnection,
  EMFILE: noConnection,
  EPROTO: noConnection,
  ERR_SSL_WRONG_VERSION_NUMBER: noConnection,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noConnection,
  ERR_TLS_CERT_ALTNAME_INVALID: noTrust,
  CERT_HAS_EXPIRED: noTrust,
  CERT_NOT_YET_VALID: noTrust,
  DEPTH_ZERO_SELF_SIGNED_CERT: noTrust,
  SELF_SIGNED_CERT_IN_CHAIN: noTrust,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: noTrust,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: noTrust,
} as const;

/** Errors of Bottleneck and of its scripts. */
const ofBottleneck: readonly (readonly [part: string, reason: string, consequence?: Consequence])[] = [
  ['SETTINGS_KEY_NOT_FOUND', 'Redis was flushed', 'forgotten'],
  ['UNKNOWN_CLIENT', 'Redis no longer knows this process'],
  ['OVERWEIGHT', 'another process lowered the limit'],
  ['Impossible to add a job', 'another process lowered the limit'],
  ['dropped by Bottleneck', 'a Redis message that this package did not publish dropped the requests for permits'],
  ['WRONGTYPE', 'a key in Redis has the wrong type', 'forgotten'],
];

/**
 * The failure that an error stands for, in words of this package.
 *
 * @param hasPassword whether a password was sent: then a server that requires one has rejected it
 */
export function failureOf(error: unknown, hasPassword = false): SharingFailure {
  if (error instanceof SharingFailure) return error;
  const code = textOf(error, 'code');
  if (isListed(codes, code)) return new SharingFailure(`${codes[code]} (${code})`);
  const message = textOf(error, 'message');
  for (const [part, reason, consequence] of ofBottleneck)
    if (message.includes(part)) return new SharingFailure(reason, consequence);
  for (const found of message.match(/\b[A-Z]{3,}\b/g) ?? []) {
    const word = found === 'NOAUTH' && hasPassword ? 'WRONGPASS' : found;
    if (isListed(replies, word)) return new SharingFailure(`${replies[word]} (${word})`);
  }
  if (isAboutAuth(error)) return new SharingFailure(replies.WRONGPASS);
  return new SharingFailure(
    textOf(error, 'name') === 'ReplyError' ? 'Redis rejected a command' : 'the connection to Redis was closed',
  );
}

function isListed<List extends object>(list: List, word: string): word is string & keyof List {
  return Object.hasOwn(list, word);
}

function textOf(error: unknown, field: 'code' | 'message' | 'name'): string {
  const value: unknown = error instanceof Error ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : '';
}

/** A server that does not support the command AUTH, or not this form of it. */
function isAboutAuth(error: unknown): boolean {
  const command: unknown = error instanceof Error ? Reflect.get(error, 'command') : undefined;
  return typeof command === 'object' && command !== null && Reflect.get(command, 'name') === 'auth';
}
