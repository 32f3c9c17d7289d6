/** The certificate and the private key of a TLS server. */
export interface KeyPair {
  /** Certificate chain in PEM. The first certificate is the certificate of the server. */
  readonly cert: string;
  /** Private key in PEM. */
  readonly key: string;
}

/** Provides a server's key pair and its renewals. */
export interface KeyPairSource {
  /** Rejects when the key pair does not exist, or when the certificate and the key do not match. */
  load(): Promise<KeyPair>;
  /**
   * Calls `onChange` with each new pair until `signal` aborts. Never rejects. A source whose key pair never changes has
   * no `watch`.
   */
  watch?(signal: AbortSignal, onChange: (keyPair: KeyPair) => void): Promise<void>;
}

/** Provides the certificates of client authorities and their renewals. */
export interface ClientCaSource {
  /** Returns one or more certificates in PEM. Rejects when the certificates are missing or invalid. */
  load(): Promise<string>;
  /** Calls `onChange` with the new certificates after each change, until `signal` aborts. Never rejects. */
  watch(signal: AbortSignal, onChange: (pem: string) => void): Promise<void>;
}
