/** Kubeconfigs that are nearly right, as JSON and as bytes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, loadKubeConfig } from 'controller-runtime';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { withinCpu } from './cpu.ts';
import { anyValue, type Edit, edited, editsWith } from './json.ts';
import type { Target } from './target.ts';

const MAX_CALL_MS = 100;
const MAX_MESSAGE = 2000;
const SECRET = 'a-secret-that-nobody-may-see';

const GOOD = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'here',
  contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'n' } }],
  clusters: [
    { name: 'c', cluster: { server: 'https://127.0.0.1:6443', 'certificate-authority-data': 'YQ==', extensions: [] } },
  ],
  users: [
    {
      name: 'u',
      user: {
        token: SECRET,
        'client-certificate-data': 'YQ==',
        'client-key-data': 'YQ==',
        'as-groups': ['g'],
        as: 'a',
        'as-user-extra': { a: ['b'] },
      },
    },
    {
      name: 'v',
      user: {
        exec: {
          command: 'true',
          apiVersion: 'client.authentication.k8s.io/v1',
          args: ['a'],
          env: [{ name: 'a', value: SECRET }],
          interactiveMode: 'Never',
        },
      },
    },
  ],
};
const TEXT = JSON.stringify(GOOD);
const TEXT_WITH_EXEC = TEXT.replace('"user":"u"', '"user":"v"');
const YAML = stringify(GOOD);
/** Each line is the one before ten times. */
const BILLION = ['a0: &a0 [x]', ...upTo(30).map((n) => `a${n}: &a${n} [${`*a${n - 1},`.repeat(10)}]`)].join('\n');

type Input =
  | { readonly kind: 'json'; readonly text: string; readonly edits: readonly Edit[] }
  | { readonly kind: 'bytes'; readonly at: number; readonly gone: number; readonly bytes: Uint8Array };

const inputs: fc.Arbitrary<Input> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('json' as const),
      text: fc.constantFrom(TEXT, TEXT_WITH_EXEC),
      edits: editsWith(anyValue),
    }),
  },
  fc.record({
    kind: fc.constant('bytes' as const),
    at: fc.nat(YAML.length),
    gone: fc.nat(40),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      fc.constantFrom(...['&a [*a]', '!!js/function x', '? : -', '\t', '{', '|', '%YAML 9', BILLION].map(bytesOf)),
    ),
  }),
);

export function kubeconfigTarget(): Target<Input> {
  const path = join(temporaryFolder(), 'kubeconfig');
  return {
    name: 'kubeconfigs',
    inputs,
    check: (input) => {
      writeFileSync(path, contentOf(input));
      const outcome = withinCpu(MAX_CALL_MS, () => outcomeOf(path));
      if (outcome === undefined) return;
      if (outcome.includes(SECRET)) throw new Error('the message has a secret in it');
      if (outcome.length > MAX_MESSAGE) throw new Error(`a message of ${outcome.length} characters`);
    },
    show: (input) => contentOf(input).toString(),
  };
}

/** What the user is told; `undefined` when it can be used. Any other error is passed on. */
function outcomeOf(path: string): string | undefined {
  try {
    loadKubeConfig(path);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}

function contentOf(input: Input): Buffer {
  if (input.kind === 'json') return Buffer.from(JSON.stringify(edited(input.text, input.edits)));
  const { at, gone, bytes } = input;
  const good = Buffer.from(YAML);
  return Buffer.concat([good.subarray(0, at), bytes, good.subarray(at + gone)]);
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(`\n${text}\n`);
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
