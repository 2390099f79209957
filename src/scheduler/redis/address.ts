// The address of a Redis server. A password that is not percent-encoded can look like a host or a path, so the parts
// are parsed strictly, and an invalid address is refused without being quoted.

/** Where the server is, and the credentials for it. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The database number. */
  readonly db: number;
}

const defaultPort = 6379;
const maxPort = 65_535;
/** A higher database number is a typing error: servers have 16 databases by default. */
const maxDb = 99_999;

const encode = 'percent-encode the password, with encodeURIComponent()';

/** The parts of an address, or the rule that it breaks. The rule quotes nothing of the address. */
export function parseAddress(url: string): RedisAddress | string {
  const scheme = /^redis(s?):\/\/(?=.)/.exec(url);
  if (scheme === null) return 'must begin with "redis://" or "rediss://"';
  const rest = url.slice(scheme[0].length);
  if (/[\s\p{Cc}\\]/u.test(rest)) return `must not contain white space, control characters or backslashes: ${encode}`;
  if (/[?#]/.test(rest)) return `must not contain "?" or "#": ${encode}`;
  const [authority = '', ...path] = rest.split('/');
  if (path.length > 1 || !/^\d*$/.test(path[0] ?? '') || Number(path[0] ?? 0) > maxDb) {
    return `must have a database number after its "/", or nothing: ${encode}`;
  }
  const [place = '', user, ...more] = authority.split('@').reverse();
  if (more.length > 0) return `must contain at most one "@": ${encode}`;
  const hostAndPort = /^(?:\[(?<ip6>[\da-f:.]+)\]|(?<name>[\w.-]+))(?::(?<port>\d{1,5}))?$/i.exec(place)?.groups;
  const host = hostAndPort?.['ip6'] ?? hostAndPort?.['name'];
  if (host === undefined) return `must have a host and, after a ":", a port number: ${encode}`;
  const port = Number(hostAndPort?.['port'] ?? defaultPort);
  if (port < 1 || port > maxPort) return `must have a port from 1 to ${maxPort}`;
  if (user !== undefined && !/:./.test(user))
    return 'must have a password after the user name: "redis://user:password@host"';
  const credentials = parseUser(user);
  if (credentials === undefined) return `must contain "%" only before two hexadecimal digits: ${encode}`;
  return { host, port, isEncrypted: scheme[1] === 's', ...credentials, db: Number(path[0] ?? 0) };
}

/** The decoded user name and password; `undefined` when they cannot be decoded. */
function parseUser(user: string | undefined): Pick<RedisAddress, 'username' | 'password'> | undefined {
  if (user === undefined) return { username: undefined, password: undefined };
  const [name = '', ...password] = user.split(':');
  try {
    return {
      username: name === '' ? undefined : decodeURIComponent(name),
      password: decodeURIComponent(password.join(':')),
    };
  } catch {
    return undefined;
  }
}
