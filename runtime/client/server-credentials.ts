/** What a transport needs to reach a server and to be known there. */

export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** An HTTP proxy on the way to the server. */
export interface HttpProxy {
  /** With its credentials. */
  readonly url: URL;
  /** What names it, for people: `proxy-url in the kubeconfig`. */
  readonly source: string;
}

export interface Credentials {
  readonly server: URL;
  readonly proxy?: HttpProxy;
  readonly tls: TlsOptions;
  /** Headers that authenticate (and impersonate, if asked for). */
  readonly headers: Readonly<Record<string, string | string[]>>;
}
