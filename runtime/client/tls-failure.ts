/** The reason that a TLS handshake failed. */
export type TlsFailure = 'untrusted' | 'another name' | 'expired' | 'no TLS';

const FAILURES_BY_CODE: ReadonlyMap<unknown, TlsFailure> = new Map<unknown, TlsFailure>([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'untrusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'untrusted'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'untrusted'],
  ['CERT_SIGNATURE_FAILURE', 'untrusted'],
  ['CERT_UNTRUSTED', 'untrusted'],
  ['INVALID_CA', 'untrusted'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'another name'],
  ['CERT_HAS_EXPIRED', 'expired'],
  ['CERT_NOT_YET_VALID', 'expired'],
  ['EPROTO', 'no TLS'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'no TLS'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'no TLS'],
]);

/** Returns the TLS failure in the chain of causes, or `undefined` for other errors. */
export function getTlsFailure(error: unknown): TlsFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  return FAILURES_BY_CODE.get(Reflect.get(error, 'code')) ?? getTlsFailure(error.cause);
}
