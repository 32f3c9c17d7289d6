/**
 * What becomes of each field of client-go v0.36 (tools/clientcmd/api/v1/types.go). A test holds the table in docs/install.md to
 * this.
 */

/** What the value has to be. */
export type FieldType =
  | 'text'
  | 'boolean'
  | 'base64'
  | 'texts'
  | 'texts by name'
  | 'preferences'
  | 'clusters'
  | 'users'
  | 'contexts'
  | 'extensions'
  | 'exec'
  | 'env'
  | 'auth provider';

export type Field =
  | { readonly kind: 'honoured'; readonly type: FieldType }
  /** Says nothing to a client that runs by itself. */
  | { readonly kind: 'without effect'; readonly type: FieldType }
  /** Must not be there in the user of the context; `instead` says what to do. */
  | { readonly kind: 'refused'; readonly type: FieldType; readonly instead: string };

type Fields = Readonly<Record<string, Field>>;

const TEXT: Field = { kind: 'honoured', type: 'text' };
const BOOLEAN: Field = { kind: 'honoured', type: 'boolean' };
const BASE64: Field = { kind: 'honoured', type: 'base64' };
const TEXTS: Field = { kind: 'honoured', type: 'texts' };
const EXTENSIONS: Field = { kind: 'without effect', type: 'extensions' };

/** By the part of the kubeconfig they stand in. */
export const KUBECONFIG_FIELDS = {
  config: {
    kind: TEXT,
    apiVersion: TEXT,
    clusters: { kind: 'honoured', type: 'clusters' },
    users: { kind: 'honoured', type: 'users' },
    contexts: { kind: 'honoured', type: 'contexts' },
    'current-context': TEXT,
    preferences: { kind: 'without effect', type: 'preferences' },
    extensions: EXTENSIONS,
  },
  cluster: {
    server: TEXT,
    'tls-server-name': TEXT,
    'insecure-skip-tls-verify': BOOLEAN,
    'certificate-authority': TEXT,
    'certificate-authority-data': BASE64,
    'proxy-url': TEXT,
    // Answers are never asked for compressed.
    'disable-compression': BOOLEAN,
    // For the exec plugin, with provideClusterInfo.
    extensions: { kind: 'honoured', type: 'extensions' },
  },
  user: {
    'client-certificate': TEXT,
    'client-certificate-data': BASE64,
    'client-key': TEXT,
    'client-key-data': BASE64,
    token: TEXT,
    tokenFile: TEXT,
    'token-file': { kind: 'refused', type: 'text', instead: 'write tokenFile, as client-go does' },
    as: TEXT,
    'as-uid': TEXT,
    'as-groups': TEXTS,
    'as-user-extra': { kind: 'honoured', type: 'texts by name' },
    username: TEXT,
    password: TEXT,
    'auth-provider': {
      kind: 'refused',
      type: 'auth provider',
      instead: 'use an exec plugin, such as kubelogin or gke-gcloud-auth-plugin',
    },
    exec: { kind: 'honoured', type: 'exec' },
    extensions: EXTENSIONS,
  },
  context: {
    cluster: TEXT,
    user: TEXT,
    namespace: TEXT,
    extensions: EXTENSIONS,
  },
  exec: {
    command: TEXT,
    args: TEXTS,
    env: { kind: 'honoured', type: 'env' },
    apiVersion: TEXT,
    installHint: TEXT,
    provideClusterInfo: BOOLEAN,
    interactiveMode: TEXT,
  },
} as const satisfies Record<string, Fields>;

export type Part = keyof typeof KUBECONFIG_FIELDS;
