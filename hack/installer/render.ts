/**
 * Prints the manifests of a folder below config/.
 *
 *   node hack/installer/render.ts [--overlay=config/default] [--image=name:tag] [--namespace=name]
 *     [--without=Kind] [--reverse]
 *
 * The environment variable `KUBECTL` is the path of kubectl. Default: the kubectl of `provision`.
 */
import { parseArgs } from 'node:util';
import { provision } from '../control-plane/provision.ts';
import { runScript } from '../control-plane/run-script.ts';
import { removeKind, renderManifests, reverseDocuments } from './manifests.ts';

const { values } = parseArgs({
  options: {
    overlay: { type: 'string', default: 'config/default' },
    image: { type: 'string' },
    namespace: { type: 'string' },
    without: { type: 'string', default: '' },
    reverse: { type: 'boolean', default: false },
  },
});
await runScript(async () => {
  const kubectl = process.env['KUBECTL'] || (await provision(['kubectl'])).kubectl;
  // `make` passes an empty text for a missing variable.
  const { overlay, image, namespace } = values;
  const options = { kubectl, overlay, image: image || undefined, namespace: namespace || undefined };
  const manifests = removeKind(values.without, await renderManifests(options));
  process.stdout.write(values.reverse ? reverseDocuments(manifests) : manifests);
});
