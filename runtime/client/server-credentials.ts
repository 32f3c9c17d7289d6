/** What a transport needs to reach a server and to be known there. */

export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface Credentials {
  readonly server: URL;
  /** An HTTP proxy on the way there. */
  readonly proxy?: URL;
  readonly tls: TlsOptions;
  /** Headers that authenticate (and impersonate, if asked for). */
  readonly headers: Readonly<Record<string, string | string[]>>;
}
