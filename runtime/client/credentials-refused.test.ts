import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { ConfigurationError } from '../configuration-error.ts';
import {
  catchCredentialsError,
  catchError,
  createCredentials,
  execUser,
  kubeconfig,
  renderError,
  SECRET,
  writeKubeconfig,
} from '../test-support/kubeconfigs.ts';
import { loadKubeConfig } from './kubeconfig/loading-rules.ts';

describe('the error for an unusable kubeconfig names the file, the problem and the fix, and contains no secret', () => {
  const token = { token: SECRET };
  test.each([
    [
      'is not YAML',
      `users: [{user: {token: ${SECRET}}}\n  : : ]`,
      /is not valid YAML at line \d+, column \d+; correct/,
    ],
    ['has a value that does not fit its tag', `token: !!int ${SECRET}`, /is not valid YAML at line 1/],
    ['has an alias of nothing', `token: *${SECRET}`, /is not valid YAML at line 1/],
    ['is a token', SECRET, /is not a YAML mapping; write/],
    ['is a list', `- ${SECRET}`, /is not a YAML mapping; write/],
    ['is empty', '', /has no contexts; write/],
    ['is a comment', `# ${SECRET}`, /has no contexts; write/],
    ['is not text', '\u0000', /is not valid YAML at line 1, column 1; correct/],
    ['is another kind of object', `kind: Secret\ndata: {a: ${SECRET}}`, /must have apiVersion v1 and kind Config/],
    ['has users that are no list', kubeconfig(token, {}, { users: SECRET }), /users must be a list/],
    ['has a user of text', kubeconfig({}, {}, { users: [{ name: 'u', user: SECRET }] }), /\[0\].user must be a map/],
    ['has a token that is a list', kubeconfig({ token: [SECRET] }), /users\[0\].user.token must be a string/],
    ['has no current-context', kubeconfig(token, {}, { 'current-context': '' }), /current-context is not set; `k/],
    ['names no context', kubeconfig(token, {}, { 'current-context': SECRET }), /a context that does not exist; choose/],
    [
      'has no cluster',
      kubeconfig(token, {}, { clusters: [] }),
      /the context names a cluster that does not exist; correct/,
    ],
    ['has no user', kubeconfig(token, {}, { users: [] }), /the context names a user that does not exist; correct/],
    ['has no server', kubeconfig(token, { server: '' }), /server is missing; set it/],
    ['has a server that is not a URL', kubeconfig(token, { server: `ftp://${SECRET}` }), /server must be a URL/],
    ['has a server with a path and no scheme', kubeconfig(token, { server: `a/${SECRET}` }), /server must be a URL/],
    ['has a CA of other text', kubeconfig(token, { 'certificate-authority-data': `!${SECRET}` }), /must be base64/],
    ['has half a key pair', kubeconfig({ 'client-certificate-data': 'czNjcjN0' }), /without its client-key; add it/],
    ['has two ways', kubeconfig({ ...token, username: SECRET }), /both a token or tokenFile and a username/],
    [
      'has a file and data',
      kubeconfig(token, { 'certificate-authority': 'a', 'certificate-authority-data': 'YQ==' }),
      /are mutually exclusive; remove one/,
    ],
    [
      'has a name twice',
      kubeconfig(token, {}, { users: [{ name: 'u' }, { name: 'u' }] }),
      /users\[1\] has the same name as another/,
    ],
    ['has half an impersonation', kubeconfig({ 'as-uid': SECRET }), /require as; set as/],
    [
      'says not whether a plugin asks',
      kubeconfig(execUser(SECRET, { interactiveMode: undefined })),
      /must be Never, IfAvailable or Always$/,
    ],
    [
      'has a nameless variable',
      kubeconfig(execUser(SECRET, { env: [{ value: SECRET }] })),
      /env has a variable without/,
    ],
    ['has an old plugin', kubeconfig(execUser(SECRET, { apiVersion: SECRET })), /apiVersion must be .*; update/],
  ])('when it %s', (_, text, want) => {
    const file = writeKubeconfig(text);
    const error = catchError(() => loadKubeConfig(file));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(want);
    expect(error.message.startsWith(`kubeconfig ${file}`)).toBe(true);
    expect(error.message.split('\n')).toHaveLength(1);
    expect(renderError(error)).not.toContain(SECRET);
    expect(renderError(error)).not.toMatch(/^\s+at /m);
  });

  test('when it is a folder, a loop of links, or does not exist', () => {
    const folder = createTemporaryFolder();
    const circle = join(folder, 'circle');
    symlinkSync(circle, circle);
    expect(catchError(() => loadKubeConfig(folder)).message).toMatch(/cannot be read \(EISDIR\); make it readable/);
    expect(catchError(() => loadKubeConfig(circle)).message).toMatch(/cannot be read \(ELOOP\); make it readable/);
    const absent = catchError(() => loadKubeConfig(join(folder, 'absent')));
    expect(absent.message).toBe(`kubeconfig ${folder}/absent: no such file; correct --kubeconfig`);
    expect(renderError(absent)).not.toMatch(/^\s+at /m);
  });

  test('when a file that it names does not exist', async () => {
    const { credentials, folder } = createCredentials(
      kubeconfig({ token: SECRET }, { 'certificate-authority': 'ca.crt' }),
    );
    const error = await catchCredentialsError(credentials);
    expect(error.message).toContain(`certificate-authority ${folder}/ca.crt cannot be read (ENOENT); make it readable`);
    expect(renderError(error)).not.toContain(SECRET);
  });
});
