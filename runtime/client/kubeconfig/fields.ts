/**
 * What becomes of every field that a kubeconfig can have: those of client-go v0.36 (tools/clientcmd/api/v1/types.go). The
 * table in docs/install.md shows the same; tests hold both together.
 */

/** What the value has to be. */
export type FieldType = 'text' | 'boolean' | 'base64' | 'texts' | 'texts by name' | 'object' | 'list';

export type Field =
  | { readonly kind: 'honoured'; readonly type: FieldType }
  /** Says nothing to a client that runs by itself. */
  | { readonly kind: 'without effect'; readonly type: FieldType }
  /** Must not be there; `instead` says what to do. */
  | { readonly kind: 'refused'; readonly instead: string };

type Fields = Readonly<Record<string, Field>>;

const TEXT: Field = { kind: 'honoured', type: 'text' };
const BOOLEAN: Field = { kind: 'honoured', type: 'boolean' };
const BASE64: Field = { kind: 'honoured', type: 'base64' };
const TEXTS: Field = { kind: 'honoured', type: 'texts' };
const OBJECT: Field = { kind: 'honoured', type: 'object' };
const LIST: Field = { kind: 'honoured', type: 'list' };
const EXTENSIONS: Field = { kind: 'without effect', type: 'list' };

/** By the part of the kubeconfig they stand in. */
export const KUBECONFIG_FIELDS = {
  config: {
    kind: TEXT,
    apiVersion: TEXT,
    clusters: LIST,
    users: LIST,
    contexts: LIST,
    'current-context': TEXT,
    preferences: { kind: 'without effect', type: 'object' },
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
    extensions: LIST,
  },
  user: {
    'client-certificate': TEXT,
    'client-certificate-data': BASE64,
    'client-key': TEXT,
    'client-key-data': BASE64,
    token: TEXT,
    tokenFile: TEXT,
    'token-file': { kind: 'refused', instead: 'write tokenFile, as client-go does' },
    as: TEXT,
    'as-uid': TEXT,
    'as-groups': TEXTS,
    'as-user-extra': { kind: 'honoured', type: 'texts by name' },
    username: TEXT,
    password: TEXT,
    'auth-provider': { kind: 'refused', instead: 'use an exec plugin, such as kubelogin or gke-gcloud-auth-plugin' },
    exec: OBJECT,
    extensions: EXTENSIONS,
  },
  context: {
    cluster: TEXT,
    user: TEXT,
    namespace: { kind: 'without effect', type: 'text' },
    extensions: EXTENSIONS,
  },
  exec: {
    command: TEXT,
    args: TEXTS,
    env: LIST,
    apiVersion: TEXT,
    installHint: TEXT,
    provideClusterInfo: BOOLEAN,
    interactiveMode: TEXT,
  },
} as const satisfies Record<string, Fields>;

export type Part = keyof typeof KUBECONFIG_FIELDS;
