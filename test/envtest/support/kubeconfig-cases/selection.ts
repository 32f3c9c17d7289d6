/** Selection of a context and of the kubeconfig files. */
import { stringify } from 'yaml';
import type { Builders, Cases } from './builders.ts';

export function selectionCases({ one, yaml, text, several, cluster, second, root }: Builders): Cases {
  return {
    'the current context by a flag': {
      ...root({ 'current-context': 'none' }),
      context: 'x',
    },
    'a missing context by a flag': { ...one(yaml), context: 'none' },
    'an empty flag for the context': { ...one(yaml), context: '' },
    'a missing current context': root({ 'current-context': 'none' }),
    'a current context that is a number': root({ 'current-context': 1 }),
    'an empty first file': several({ a: '', config: yaml }),
    'a first file of comments': several({ a: '# nothing\n', config: yaml }),
    'a first file that is an empty document': several({ a: '---\n', config: yaml }),
    'a first file of whitespace': several({ a: ' \n', config: yaml }),
    'a first file that is null': several({ a: 'null', config: yaml }),
    'a missing first file': several({ config: yaml }, ['none', 'config']),
    'a missing last file': several({ config: yaml }, ['config', 'none']),
    'an empty name among files': several({ config: yaml }, ['', 'config', '']),
    'a duplicate file': several({ config: yaml }, ['config', 'config']),
    'a folder among files': several({ config: yaml }, ['config', '.']),
    'a broken last file': several({ config: yaml, b: 'x: [' }),
    'a last file of another kind': several({ config: yaml, b: 'kind: Secret' }),
    'a user in two files': several({ a: text({ token: 'of-first' }), b: text({ token: 'of-second' }) }),
    'a user without fields before the same with them': several({ a: 'users: [{name: u}]', b: yaml }),
    'parts in several files': several({
      a: stringify({ contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }] }),
      b: stringify({ clusters: [{ name: 'c', cluster }] }),
      c: stringify({ users: [{ name: 'u', user: { token: 't' } }], 'current-context': 'x' }),
    }),
    'an empty current context before another': several({ a: 'current-context: ""', b: yaml }),
    'two current contexts': several({
      a: 'current-context: y\ncontexts: [{name: y, context: {cluster: d, user: u}}]',
      b: text(undefined, undefined, {
        clusters: [
          { name: 'c', cluster },
          { name: 'd', cluster: { ...cluster, server: second } },
        ],
      }),
    }),
  };
}
