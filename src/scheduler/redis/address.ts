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
const encoded = '(?:[^\\s\\p{Cc}\\\\/?#@:%]|%[\\da-f]{2})';
const address = new RegExp(
  `^redis(?<tls>s?)://(?:(?<username>${encoded}*):(?<password>(?:${encoded}|:)+)@)?` +
    String.raw`(?:\[(?<ip6>[\da-f:.]+)\]|(?<name>[\w.-]+))(?::(?<port>\d{1,5}))?(?:/(?<db>\d{0,5}))?$`,
  'iu',
);

/** The parts of an address, or the rule that it breaks. The rule quotes nothing of the address. */
export function parseAddress(url: string): RedisAddress | string {
  const { tls, username = '', password, ip6, name = '', port, db } = address.exec(url)?.groups ?? {};
  const host = ip6 ?? name;
  const given = { host, port: Number(port ?? defaultPort), isEncrypted: tls === 's', db: Number(db ?? 0) };
  if (host === '' || given.port < 1 || given.port > maxPort) return form;
  try {
    return {
      ...given,
      username: username === '' ? undefined : decodeURIComponent(username),
      password: password === undefined ? undefined : decodeURIComponent(password),
    };
  } catch {
    return form;
  }
}

const form =
  'must be "redis://host:port/database", or "rediss://" for TLS, with "user:password@" before the host if the server ' +
  'requires it: percent-encode both, with encodeURIComponent()';
