/** Why TLS failed. The network itself works in this case. */
export type TlsFailure = 'untrusted' | 'another name' | 'expired' | 'no TLS';

/** Error codes of Node. */
const FAILURES: ReadonlyMap<unknown, TlsFailure> = new Map<unknown, TlsFailure>([
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

/** Returns `undefined` for any other failure. Also finds the fault in a chain of causes. */
export function getTlsFailure(error: unknown): TlsFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  return FAILURES.get(Reflect.get(error, 'code')) ?? getTlsFailure(error.cause);
}
