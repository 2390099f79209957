// Why limits cannot be shared. What a server, a socket or the Redis client says may quote the password, or what a
// stranger wrote: it is matched against closed lists, and never passed on.

/** What follows from a failure, beside another attempt. */
export type Consequence =
  /** What was granted is not known to the server any more, or not rightly. */
  | 'forgotten'
  /** Others share the group, so that this process must not go on alone. */
  | 'refused';

/** Limits cannot be shared now. The message holds nothing that this package did not write. */
export class SharingFailure extends Error {
  readonly consequence: Consequence | undefined;
  /**
   * Whether it lasts until someone does what the reason says, so that the reason is reported while the process does
   * without Redis already.
   */
  readonly isLasting: boolean;

  constructor(reason: string, consequence?: Consequence, isLasting = false) {
    super(reason);
    this.consequence = consequence;
    this.isLasting = isLasting;
  }
}

/** What Redis answers, by the word that is the kind of its error. */
const replies = {
  WRONGPASS: 'Redis refused the user name or the password',
  NOAUTH: 'Redis requires a password',
  NOPERM: 'the Redis user lacks the permission for a command, a key or a channel',
  READONLY: 'the server is a replica: connect to its primary',
  LOADING: 'Redis is loading its data',
  MASTERDOWN: 'the server has lost its primary',
  OOM: 'Redis is out of memory',
  MISCONF: 'Redis refuses writes because it cannot save them',
  NOREPLICAS: 'Redis refuses writes because it has too few replicas',
  BUSY: 'Redis runs a script that does not end',
  CROSSSLOT: 'the server belongs to a Redis Cluster: connect to a primary that does not',
  MOVED: 'the server belongs to a Redis Cluster: connect to a primary that does not',
} as const;

/** What Node says of sockets and of TLS. */
const noConnection = 'no connection to Redis';
const noTrust = 'the TLS certificate of Redis is not accepted';
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

/** What the scripts of Bottleneck, and Bottleneck itself, say. */
const ofBottleneck: readonly (readonly [part: string, reason: string, consequence?: Consequence])[] = [
  ['SETTINGS_KEY_NOT_FOUND', 'Redis was emptied', 'forgotten'],
  ['UNKNOWN_CLIENT', 'Redis has forgotten this process'],
  ['OVERWEIGHT', 'another process lowered the limit'],
  ['Impossible to add a job', 'another process lowered the limit'],
  [
    'dropped by Bottleneck',
    'a message in Redis dropped the requests for permits; no process of this package publishes it',
  ],
  ['WRONGTYPE', 'a key in Redis has the wrong type', 'forgotten'],
];

/**
 * The failure that an error is, in words of this package.
 *
 * @param hasPassword whether a password was sent: then a server that requires one has refused it
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
  if (isOfAuth(error)) return new SharingFailure(replies.WRONGPASS);
  return new SharingFailure(
    textOf(error, 'name') === 'ReplyError' ? 'Redis refused a command' : 'the connection to Redis was closed',
  );
}

function isListed<List extends object>(list: List, word: string): word is string & keyof List {
  return Object.hasOwn(list, word);
}

function textOf(error: unknown, field: 'code' | 'message' | 'name'): string {
  const value: unknown = error instanceof Error ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : '';
}

/** A server that does not know the command, or not in this form. */
function isOfAuth(error: unknown): boolean {
  const command: unknown = error instanceof Error ? Reflect.get(error, 'command') : undefined;
  return typeof command === 'object' && command !== null && Reflect.get(command, 'name') === 'auth';
}
