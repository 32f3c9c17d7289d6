import type { CrdManifest } from '../crd-installation.ts';
import {
  buildCustomKinds,
  type CrdVersion,
  type CustomKindOptions,
  type CustomKinds,
  listDefinitions,
} from './custom-kinds.ts';
import { CREATION_TIMESTAMP, type ObjectStore } from './object-store.ts';
import type { CollectionPath, JsonObject } from './object-types.ts';

/** State of the server in addition to the stored objects. */
export interface ServerState {
  readonly customKinds: CustomKinds;
  /** The kind of each collection, learned from stored objects. */
  readonly kinds: Map<CollectionPath, string>;
  /** The last applied configuration of each object and field manager. */
  readonly applied: Map<string, JsonObject>;
}

/** Creates the state of a server, and stores the CRDs of its custom kinds. */
export function createServerState(store: ObjectStore, options: CustomKindOptions): ServerState {
  const definitions = listDefinitions(options);
  for (const { crd } of definitions)
    store.create(CRD_COLLECTION, crd.metadata.name, { ...crd, status: createStatus(crd) });
  return {
    customKinds: buildCustomKinds(definitions),
    kinds: new Map(definitions.map(({ crd }) => [CRD_COLLECTION, crd.kind])),
    applied: new Map(),
  };
}

const CRD_COLLECTION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Returns the status that a real API server sets for a new CRD. */
function createStatus({ spec: { names, versions } }: CrdManifest): JsonObject {
  const lastTransitionTime = CREATION_TIMESTAMP;
  const storageVersions: readonly CrdVersion[] = versions;
  return {
    acceptedNames: names,
    conditions: [
      {
        ...{ type: 'NamesAccepted', status: 'True', lastTransitionTime },
        ...{ reason: 'NoConflicts', message: 'no conflicts found' },
      },
      {
        ...{ type: 'Established', status: 'True', lastTransitionTime },
        ...{ reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' },
      },
    ],
    storedVersions: storageVersions.filter(({ storage }) => storage).map(({ name }) => name),
  };
}
