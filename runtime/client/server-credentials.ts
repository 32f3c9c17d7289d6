/** Address, TLS options and authentication headers that a transport uses for a server. */

export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** An HTTP proxy on the way to the server. */
export interface HttpProxy {
  /** URL of the proxy, including its credentials. */
  readonly url: URL;
  /** The setting that names the proxy, for messages: `proxy-url in the kubeconfig`. */
  readonly source: string;
}

export interface Credentials {
  readonly server: URL;
  readonly proxy?: HttpProxy;
  readonly tls: TlsOptions;
  /** Headers for authentication and, if requested, impersonation. */
  readonly headers: Readonly<Record<string, string | string[]>>;
}
