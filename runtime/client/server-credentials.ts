export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface HttpProxy {
  /** URL of the proxy, including credentials. */
  readonly url: URL;
  /**
   * Name of the setting that contains the URL, such as `proxy-url in the kubeconfig`. Error messages contain this name.
   */
  readonly source: string;
}

/** Address, TLS options and authentication headers of a server. */
export interface Credentials {
  readonly server: URL;
  readonly proxy?: HttpProxy;
  readonly tls: TlsOptions;
  readonly headers: Readonly<Record<string, string | string[]>>;
}
