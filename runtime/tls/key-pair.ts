/** What a TLS server shows and proves itself with. */

export interface KeyPair {
  /** Certificate chain in PEM, the server's own first. */
  readonly cert: string;
  /** Private key in PEM. */
  readonly key: string;
}

/** Where a server gets its key pair from, now and later. */
export interface KeyPairSource {
  /** Rejects when there is none, or when the two do not belong together. */
  load(): Promise<KeyPair>;
  /** Calls `onChange` with each new pair until `signal` aborts. Never rejects. Absent when the pair never changes. */
  watch?(signal: AbortSignal, onChange: (pair: KeyPair) => void): Promise<void>;
}

/** Where a server gets the certificates from that clients must be vouched for by, now and later. */
export interface ClientCaSource {
  /** One or more certificates in PEM. Rejects when there is none that can be used. */
  load(): Promise<string>;
  /** Calls `onChange` with what they are from now on until `signal` aborts. Never rejects. */
  watch(signal: AbortSignal, onChange: (pem: string) => void): Promise<void>;
}
