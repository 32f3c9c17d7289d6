/** The rendered objects of `make deploy`, and a separate API server to install them on. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { renderManifests } from '../../../hack/installer/manifests.ts';
import { type RunningApiServer, startApiServer } from '../../cluster/api-server.ts';
import { createKubectl, type Manifest, PROJECT, parseManifests } from '../../support/manifests.ts';
import { createTemporaryFolderForFile } from '../../support/temporary-folder.ts';
import './provided.ts';

/** Namespace in config/default. */
export const NAMESPACE = 'cronjob-operator-system';

const renderings = new Map<string, Promise<string>>();

/** Renders an overlay. The files of the project do not change during the tests. */
export function render(
  folder: string,
  options: { readonly image?: string; readonly namespace?: string } = {},
): Promise<string> {
  const key = JSON.stringify([folder, options]);
  const text =
    renderings.get(key) ?? renderManifests({ kubectl: inject('kubectl'), overlay: join(PROJECT, folder), ...options });
  renderings.set(key, text);
  return text;
}

export async function renderAndParse(folder: string): Promise<readonly Manifest[]> {
  return parseManifests(await render(folder));
}

/** An API server for the tests of one file. It starts without our CRDs, unlike the shared API server. */
export class EmptyCluster {
  /** Deleted after the tests of the file. */
  readonly folder = createTemporaryFolderForFile();
  #running: RunningApiServer | undefined;

  constructor() {
    beforeAll(async () => {
      this.#running = await startApiServer();
    });
    afterAll(() => this.#running?.stop());
  }

  /** Available only once the tests run. */
  get running(): RunningApiServer {
    if (this.#running === undefined) throw new Error('the API server starts before the first test of the file');
    return this.#running;
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return createKubectl({ ...this.running, cacheFolder: this.folder })(...args);
  }

  /** Path of a new file in {@link folder}. */
  writeText(text: string): string {
    const file = join(mkdtempSync(join(this.folder, 'manifests-')), 'manifests.yaml');
    writeFileSync(file, text);
    return file;
  }
}
