/** The user: certificates, tokens, passwords, and impersonation. */
import { generateKeyPairSync } from 'node:crypto';
import { type Builders, type Cases, toBase64 } from './builders.ts';

const PEM_KEYS = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const;

export function userCases({ user, cert, files, client, other, ca, plugin }: Builders): Cases {
  return {
    'a client certificate': user(cert),
    'a client certificate in files': user({ 'client-certificate': 'cert', 'client-key': 'key' }, files),
    'a client certificate in a file and as data': user({ ...cert, 'client-certificate': 'cert' }, files),
    'a client key in a file and as data': user({ ...cert, 'client-key': 'key' }, files),
    'a client certificate in a file, its key as data': user(
      { 'client-certificate': 'cert', 'client-key-data': cert['client-key-data'] },
      files,
    ),
    'a client certificate without its key': user({ 'client-certificate-data': cert['client-certificate-data'] }),
    'a client key without its certificate, and a token': user({
      token: 't',
      'client-key-data': cert['client-key-data'],
    }),
    'a client key of another certificate': user({ ...cert, 'client-key-data': toBase64(other.key) }),
    'a client key of another type before the key': user({
      ...cert,
      'client-key-data': toBase64(generateKeyPairSync('ed25519', PEM_KEYS).privateKey + client.key),
    }),
    'a client certificate that is not PEM': user({ ...cert, 'client-certificate-data': toBase64('abc') }),
    'a client certificate before a damaged one': user({
      ...cert,
      'client-certificate-data': toBase64(client.cert + client.cert.replace(/\n.{10}/, '\nAAAAAAAAAA')),
    }),
    'a client certificate before a cut one': user({
      ...cert,
      'client-certificate-data': toBase64(client.cert + ca.slice(0, 200)),
    }),
    'a client certificate before an authority': user({
      ...cert,
      'client-certificate-data': toBase64(client.cert + ca),
    }),
    'a client certificate and a token': user({ ...cert, token: 't' }),
    'a client certificate and an exec plugin': plugin({ token: 'of-plugin' }, { user: cert }),
    'a token file': user({ tokenFile: 'token' }, files),
    'a token file before a token': user({ token: 't', tokenFile: 'token' }, files),
    'a missing token file, and a token': user({ token: 't', tokenFile: 'none' }),
    'a missing token file': user({ tokenFile: 'none' }),
    'a token file with whitespace around the token': user({ tokenFile: 'token' }, { token: ' \t in-file \r\n\n' }),
    'a token file with other whitespace around the token': user(
      { tokenFile: 'token' },
      { token: '\u00a0\u2003in-file\u0085\u2028' },
    ),
    'a token file with a byte order mark': user({ tokenFile: 'token' }, { token: '\ufeffin-file' }),
    'a token file of two lines': user({ tokenFile: 'token' }, { token: 'a\nb\n' }),
    'a username and a password': user({ username: 'me', password: 'pw' }),
    'a username without a password': user({ username: 'mü' }),
    'a username and a token': user({ username: 'me', token: 't' }),
    'a password and a token': user({ password: 'pw', token: 't' }),
    'a username and a token file': user({ username: 'me', tokenFile: 'token' }, files),
    'a username and an exec plugin': plugin({ token: 'of-plugin' }, { user: { username: 'me', password: 'pw' } }),
    'a token and an exec plugin': plugin({ token: 'of-plugin' }, { user: { token: 't' } }),
    impersonation: user({
      token: 't',
      as: 'jane',
      'as-uid': '7',
      'as-groups': ['a', 'b c'],
      'as-user-extra': { 'example.com/Scopes': ['x', 'y'], 'a(b)%é': ['z'] },
    }),
    'impersonation of a name with other letters': user({ token: 't', as: 'jänε', 'as-groups': ['grüppe'] }),
    'impersonation of a name with a line break': user({ token: 't', as: 'ja\nne' }),
    'impersonation of a name with whitespace around it': user({ token: 't', as: ' jane ' }),
    'impersonated groups without a user': user({ token: 't', 'as-groups': ['a'] }),
    'impersonation extra without a user': user({ token: 't', 'as-user-extra': { a: [] } }),
    'empty impersonated groups without a user': user({ token: 't', 'as-groups': [], 'as-user-extra': {} }),
    'groups that are text': user({ token: 't', as: 'jane', 'as-groups': 'a' }),
    'groups that are numbers': user({ token: 't', as: 'jane', 'as-groups': [1] }),
  };
}
