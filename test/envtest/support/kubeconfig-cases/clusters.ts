/** The cluster: its certificate authority, its URL and a proxy on the way there. */
import { type Builders, type Cases, toBase64 } from './builders.ts';

export function clusterCases({ one, text, cert, files, first, plain, ca, withCluster }: Builders): Cases {
  return {
    ...Object.fromEntries(
      ['yes', 'on', 'True', 'y', 'no', 'off', 'n', 'tRue', '"true"', '1', '~'].map((flag) => [
        `insecure-skip-tls-verify written ${flag}`,
        one(
          text({ token: 't' }, { 'certificate-authority-data': undefined, 'insecure-skip-tls-verify': 'FLAG' }).replace(
            'FLAG',
            flag,
          ),
        ),
      ]),
    ),
    'an authority and no verification': withCluster({ 'insecure-skip-tls-verify': true }),
    'no authority': withCluster({ 'certificate-authority-data': undefined }),
    'an authority with line breaks': withCluster({
      'certificate-authority-data': toBase64(ca).replaceAll(/.{40}/g, '$&\n'),
    }),
    'an authority with spaces': withCluster({ 'certificate-authority-data': toBase64(ca).replaceAll(/.{40}/g, '$& ') }),
    'an authority without padding': withCluster({
      'certificate-authority-data': toBase64(`${ca}${'\n'.repeat((4 - (ca.length % 3)) % 3)}`).replaceAll('=', ''),
    }),
    'an authority that is not base64': withCluster({ 'certificate-authority-data': '!' }),
    'an authority that is not PEM': withCluster({ 'certificate-authority-data': toBase64('abc') }),
    'an authority among comments': withCluster({ 'certificate-authority-data': toBase64(`# mine\n${ca}\n# end`) }),
    ...Object.fromEntries(
      Object.entries({
        'after a damaged one': ca.replace(/\n.{10}/, '\nAAAAAAAAAA') + ca,
        'after the start of one': `${ca.slice(0, 200)}\n${ca}`,
        'after a byte order mark': `\ufeff${ca}`,
      }).map(([name, text]) => [`an authority ${name}`, withCluster({ 'certificate-authority-data': toBase64(text) })]),
    ),
    'an authority that is a number': withCluster({ 'certificate-authority-data': 12 }),
    'an authority in a file': withCluster(
      { 'certificate-authority-data': undefined, 'certificate-authority': 'ca' },
      files,
    ),
    'an authority in a file in a subfolder': withCluster(
      { 'certificate-authority-data': undefined, 'certificate-authority': './a/../ca' },
      files,
    ),
    'an authority in a missing file': withCluster({
      'certificate-authority-data': undefined,
      'certificate-authority': 'none',
    }),
    'an authority in a file and as data': withCluster({ 'certificate-authority': 'ca' }, files),
    'the name of the server': withCluster({ 'tls-server-name': 'localhost' }),
    'a wrong name of the server': withCluster({ 'tls-server-name': 'example.com' }),
    'a server without TLS': one(
      text({ token: 't', as: 'jane' }, { server: plain, 'certificate-authority-data': undefined }),
    ),
    'a server without TLS, and an authority': one(text({ token: 't' }, { server: plain })),
    'a server without TLS, and no verification': one(
      text(
        { ...cert, username: 'me' },
        { server: plain, 'certificate-authority-data': undefined, 'insecure-skip-tls-verify': true },
      ),
    ),
    'a server without a scheme': one(text({ token: 't' }, { server: plain.replace('http://', '') })),
    'a server with a name and a password': one(
      text({ as: 'jane', token: 't' }, { server: first.replace('//', '//me:p%40w@') }),
    ),
    'a server without TLS with a name and a password': withCluster({ server: plain.replace('//', '//me:pw@') }),
    'a server in capitals': withCluster({ server: first.replace('https', 'HTTPS') }),
    'a server with a slash, a query and a fragment': withCluster({ server: `${first}/?a=b#c` }),
    'a server of another protocol': withCluster({ server: first.replace('https', 'ftp') }),
    ...Object.fromEntries(
      Object.entries({
        'after a blank': ` ${first}`,
        'before a line break': `${first}\n`,
        'with a tab': first.replace('1', '1\t'),
        'with a backslash': `${first}\\x`,
        'before a blank': `${first} `,
        'with an IPv4-mapped address': first.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
        'with an octal address': first.replace('127', '0177'),
        'with a short address': first.replace('127.0.0.1', '127.1'),
        'with a blank after the address': first.replace('127.0.0.1', '127.0.0.1 '),
      }).map(([name, server]) => [`a server ${name}`, withCluster({ server })]),
    ),
    'a server that is a number': withCluster({ server: 1 }),
    'a proxy of another protocol': withCluster({ 'proxy-url': 'ftp://127.0.0.1:1' }),
    'a proxy without a scheme': withCluster({ 'proxy-url': '127.0.0.1:1' }),
    'a proxy with an invalid % escape': withCluster({ 'proxy-url': 'http://a%zz:b@127.0.0.1:1' }),
    'a server with an invalid % escape': withCluster({ server: first.replace('//', '//me:p%4@') }),
    'a proxy with an octal address': withCluster({ 'proxy-url': 'http://0177.0.0.1:1' }),
    'a proxy that does not respond': withCluster({ 'proxy-url': 'http://127.0.0.1:1' }),
  };
}
