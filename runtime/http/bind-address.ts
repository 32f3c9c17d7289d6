/** The address that a server listens on, as users write it in flags. */

export type BindAddress =
  /** `0`: the server does not start. */
  | { readonly kind: 'off' }
  /** Without a host, the server listens on every address of the machine. Port 0 lets the system choose a port. */
  | { readonly kind: 'listen'; readonly host?: string; readonly port: number };

export type ParsedBindAddress = BindAddress | { readonly kind: 'invalid'; readonly message: string };

const FORMAT_HINT = 'use ":8081", "127.0.0.1:8081", "[::1]:8081", or "0" to turn it off';

/** Parses `:8081`, `127.0.0.1:8081`, `localhost:0`, `[::1]:8081` or `0`. */
export function parseBindAddress(text: string): ParsedBindAddress {
  if (text === '0') return { kind: 'off' };
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d+)$/.exec(text) ?? [];
  if (digits === undefined)
    return { kind: 'invalid', message: `"${text}" is not an address with a port; ${FORMAT_HINT}` };
  const port = Number(digits);
  if (port > 65_535) return { kind: 'invalid', message: `port ${digits} is greater than 65535; ${FORMAT_HINT}` };
  const host = bracketed ?? plain ?? '';
  return host === '' ? { kind: 'listen', port } : { kind: 'listen', host, port };
}

/** The inverse of {@link parseBindAddress}. */
export function formatBindAddress(address: BindAddress): string {
  if (address.kind === 'off') return '0';
  const { host = '', port } = address;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
