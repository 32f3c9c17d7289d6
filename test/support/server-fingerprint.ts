import { once } from 'node:events';
import { connect } from 'node:tls';

/** SHA-256 fingerprint of the certificate that a server on 127.0.0.1 presents to a new connection. */
export async function getServerFingerprint(port: number): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const fingerprint = socket.getPeerX509Certificate()?.fingerprint256;
  socket.destroy();
  return fingerprint;
}
