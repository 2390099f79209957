// Why limits cannot be shared. Text from a server, a socket or the Redis client may quote the password or another
// tenant's data: it is matched against closed lists, and never passed on.

/** Limits cannot be shared now. The message contains only text of this package. */
export class SharingFailure extends Error {
  /** Whether other processes share a rate limit on other terms: this process must not use a share of it. */
  readonly isRefused: boolean;

  constructor(reason: string, isRefused = false) {
    super(reason);
    this.isRefused = isRefused;
  }
}

const rejected = 'Redis rejected the user name or password';

/** Error replies of Redis, by a word of them. */
const replies: ReadonlyMap<string, string> = new Map(
  Object.entries({
    WRONGPASS: rejected,
    AUTH: rejected,
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
  }),
);

/** Codes of Node for sockets and TLS. Only an error of Node itself has such a code. */
const noTrust = /CERT|SIGNATURE/;
const isCode = /^[A-Z][A-Z\d_]{2,49}$/;

/**
 * The failure that an error stands for, in words of this package.
 *
 * @param hasPassword whether a password was sent: then a server that requires one has rejected it
 */
export function failureOf(error: unknown, hasPassword = false): SharingFailure {
  if (error instanceof SharingFailure) return error;
  const code = textOf(error, 'code');
  if (isCode.test(code)) {
    const reason = noTrust.test(code) ? 'the TLS certificate of Redis is not trusted' : 'no connection to Redis';
    return new SharingFailure(`${reason} (${code})`);
  }
  for (const found of textOf(error, 'message').match(/\b[A-Z]{3,}\b/g) ?? []) {
    const word = found === 'NOAUTH' && hasPassword ? 'WRONGPASS' : found;
    const reply = replies.get(word);
    if (reply !== undefined) return new SharingFailure(`${reply} (${word})`);
  }
  return new SharingFailure(
    textOf(error, 'name') === 'ReplyError' ? 'Redis rejected a command' : 'the connection to Redis was closed',
  );
}

function textOf(error: unknown, field: 'code' | 'message' | 'name'): string {
  const value: unknown = error instanceof Error ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : '';
}
