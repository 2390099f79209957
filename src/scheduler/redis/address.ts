// The address of a Redis server. It may hold a password, and a password that is not percent-encoded can look like a
// host or a path: the parts are read strictly here, and an address that breaks a rule is refused without being shown.

/** Where a server is, and who connects to it. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Number of the database. */
  readonly db: number;
}

const defaultPort = 6379;
const maxPort = 65_535;
/** A higher number of a database is a slip: servers have 16 unless they are configured. */
const maxDb = 99_999;

const encode = 'percent-encode the password, with encodeURIComponent()';

/** The parts of an address, or which rule it breaks. The rule quotes nothing of the address. */
export function readAddress(url: string): RedisAddress | string {
  const scheme = /^redis(s?):\/\/(?=.)/.exec(url);
  if (scheme === null) return 'must begin with "redis://" or "rediss://"';
  const rest = url.slice(scheme[0].length);
  if (/[\s\p{Cc}\\]/u.test(rest)) return `must have no white space, control character or backslash: ${encode}`;
  if (/[?#]/.test(rest)) return `must have no "?" and no "#": ${encode}`;
  const [authority = '', ...path] = rest.split('/');
  if (path.length > 1 || !/^\d*$/.test(path[0] ?? '') || Number(path[0] ?? 0) > maxDb) {
    return `must have the number of a database after its "/", or nothing: ${encode}`;
  }
  const [place = '', user, ...more] = authority.split('@').reverse();
  if (more.length > 0) return `must have one "@" at most: ${encode}`;
  const hostAndPort = /^(?:\[(?<ip6>[\da-f:.]+)\]|(?<name>[\w.-]+))(?::(?<port>\d{1,5}))?$/i.exec(place)?.groups;
  const host = hostAndPort?.['ip6'] ?? hostAndPort?.['name'];
  if (host === undefined) return `must have a host, and after a ":" nothing but the number of a port: ${encode}`;
  const port = Number(hostAndPort?.['port'] ?? defaultPort);
  if (port < 1 || port > maxPort) return `must have a port from 1 to ${maxPort}`;
  if (user !== undefined && !/:./.test(user))
    return 'must have a password after the name of the user: "redis://user:password@host"';
  const credentials = readUser(user);
  if (credentials === undefined) return `must have a "%" only before two hexadecimal digits: ${encode}`;
  return { host, port, isEncrypted: scheme[1] === 's', ...credentials, db: Number(path[0] ?? 0) };
}

/** User name and password, decoded; nothing when they cannot be. */
function readUser(user: string | undefined): Pick<RedisAddress, 'username' | 'password'> | undefined {
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
