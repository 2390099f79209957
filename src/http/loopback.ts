// Addresses of this machine: nothing that is sent there can be read on the way.

/** Of a host as URLs write it: `127.1`, `0x7f.1` and `2130706433` are `127.0.0.1` by then. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
