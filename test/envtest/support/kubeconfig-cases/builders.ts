/** The parts of the cases. */
import { selfSignedCertificate } from 'controller-runtime/testing';
import { stringify } from 'yaml';

/** A folder with files, and the arguments and environment that pass them to a program. */
export interface KubeConfigCase {
  /** Files by name; `config` is the given kubeconfig. Files that end with `.sh` are executable. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Names of files, for KUBECONFIG. Default: `config`, as a flag. */
  readonly variable?: readonly string[];
  readonly context?: string;
}

export interface ServerUrls {
  readonly first: string;
  readonly second: string;
  readonly plain: string;
  readonly ca: string;
}

/** Cases by name. */
export type Cases = Readonly<Record<string, KubeConfigCase>>;
export type Builders = ReturnType<typeof createBuilders>;
type Value = Record<string, unknown>;

export const V1 = 'client.authentication.k8s.io/v1';
export const V1BETA1 = 'client.authentication.k8s.io/v1beta1';

export function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

export function createBuilders({ ca, ...servers }: ServerUrls) {
  const client = selfSignedCertificate('client');
  const other = selfSignedCertificate('other');
  const cluster = { server: servers.first, 'certificate-authority-data': toBase64(ca) };
  const config = (user: Value = { token: 't' }, more: Value = {}, rest: Value = {}): Value => ({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { ...cluster, ...more } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
    ...rest,
  });
  const text = (...parts: Parameters<typeof config>) => stringify(config(...parts));
  const yaml = text();
  const one = (content: string | Uint8Array, files: KubeConfigCase['files'] = {}): KubeConfigCase => ({
    files: { config: content, ...files },
  });
  const withCluster = (more: Value, files = {}) => one(text(undefined, more), files);
  const root = (fields: Value) => one(text(undefined, undefined, fields));
  const user = (value: Value, files = {}) => one(text(value), files);
  /** The text of the user's token, unquoted. */
  const token = (scalar: string) => one(yaml.replace('token: t', `token: ${scalar}`));
  const several = (files: Record<string, string>, variable = Object.keys(files)): KubeConfigCase => ({
    files,
    variable,
  });
  const exec = (answer: string | Uint8Array, more: Value = {}, rest: Value = {}) =>
    user(
      { exec: { apiVersion: V1, command: './plugin.sh', interactiveMode: 'Never', ...more }, ...rest },
      { 'plugin.sh': '#!/bin/sh\ncat "$(dirname "$0")/answer"\n', answer },
    );
  const answer = (status: Value, more: Value = {}) => ({ apiVersion: V1, kind: 'ExecCredential', status, ...more });
  /** An exec plugin that returns this status. */
  const plugin = (status: Value, more: { answer?: Value; exec?: Value; user?: Value } = {}) =>
    exec(JSON.stringify(answer(status, more.answer)), more.exec, more.user);
  const cert = { 'client-certificate-data': toBase64(client.cert), 'client-key-data': toBase64(client.key) };
  const files = { ca, cert: client.cert, key: client.key, token: 'in-file' };
  return {
    ...{ one, text, yaml, user, token, several, exec, answer, plugin, config, withCluster, root },
    ...{ cluster, cert, files, client, other, ca, ...servers },
  };
}
