/** The certificate and private key of a TLS server. */

export interface KeyPair {
  /** Certificate chain in PEM, the server's own certificate first. */
  readonly cert: string;
  /** Private key in PEM. */
  readonly key: string;
}

/** Provides a server's key pair and its renewals. */
export interface KeyPairSource {
  /** Rejects when there is no pair, or when certificate and key do not match. */
  load(): Promise<KeyPair>;
  /** Calls `onChange` with each new pair until `signal` aborts. Never rejects. Absent when the pair never changes. */
  watch?(signal: AbortSignal, onChange: (pair: KeyPair) => void): Promise<void>;
}

/** Provides the certificates of client authorities and their renewals. */
export interface ClientCaSource {
  /** Returns one or more certificates in PEM. Rejects when there is no valid certificate. */
  load(): Promise<string>;
  /** Calls `onChange` with each new set of certificates until `signal` aborts. Never rejects. */
  watch(signal: AbortSignal, onChange: (pem: string) => void): Promise<void>;
}
