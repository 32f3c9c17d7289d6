/** The address on which a server listens, as specified in a flag. */
export type BindAddress =
  /** The server does not start, because the value of the flag is `0`. */
  | { readonly kind: 'off' }
  /**
   * Without a host, the server listens on all addresses of the machine. If the port is 0, the system chooses a port.
   */
  | { readonly kind: 'listen'; readonly host?: string; readonly port: number };

export type ParsedBindAddress = BindAddress | { readonly kind: 'invalid'; readonly message: string };

const BIND_ADDRESS_FORMAT_HINT = 'use ":8081", "127.0.0.1:8081", "[::1]:8081", or "0" to turn it off';

/** Parses `:8081`, `127.0.0.1:8081`, `localhost:0`, `[::1]:8081` or `0`. */
export function parseBindAddress(text: string): ParsedBindAddress {
  if (text === '0') return { kind: 'off' };
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d+)$/.exec(text) ?? [];
  if (digits === undefined)
    return { kind: 'invalid', message: `"${text}" is not an address with a port; ${BIND_ADDRESS_FORMAT_HINT}` };
  const port = Number(digits);
  if (port > 65_535)
    return { kind: 'invalid', message: `port ${digits} is greater than 65535; ${BIND_ADDRESS_FORMAT_HINT}` };
  const host = bracketed ?? plain ?? '';
  return host === '' ? { kind: 'listen', port } : { kind: 'listen', host, port };
}

export function formatBindAddress(address: BindAddress): string {
  if (address.kind === 'off') return '0';
  const { host = '', port } = address;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
