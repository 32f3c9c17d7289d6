/** Plugins of rolldown that make a bundle start faster and take less memory. */
import type { Plugin } from 'rolldown';

/**
 * Imports `node:http` as a CommonJS module. An ES import makes Node fill in every export at once, its WebSocket among them,
 * and with that a second copy of undici: 20 MB and a tenth of the start-up.
 */
export const lazyHttp: Plugin = {
  name: 'lazy-http',
  resolveId: (id) => (id === 'node:http' || id === 'http' ? '\0lazy-http' : null),
  load: (id) => (id === '\0lazy-http' ? 'module.exports = process.getBuiltinModule("node:http");' : null),
};

/** What our programs import from undici, by the file that it is in. */
const UNDICI_DISPATCHERS = { Agent: 'agent', Pool: 'pool', ProxyAgent: 'proxy-agent' };

/**
 * Leaves out of undici what none of its dispatchers uses: fetch, WebSocket, caches, mocks. They are two thirds of it, 5 MB and a fifth
 * of the start-up. The rest is as undici's own index.js has it: dispatchers call each other's methods, all of which come from lib/api.
 * An import of anything else fails the build.
 */
export const smallUndici: Plugin = {
  name: 'small-undici',
  resolveId(id, importer) {
    if (id === 'undici') return '\0small-undici';
    // undici takes it for a Node without HTTP/2, which connections.ts offers to no server and no proxy.
    return id === 'node:http2' && importer?.includes('/undici/') ? '\0no-http2' : null;
  },
  load(id) {
    if (id === '\0no-http2') return 'throw new Error("node:http2 is not loaded");';
    if (id !== '\0small-undici') return null;
    return [
      'import Dispatcher from "undici/lib/dispatcher/dispatcher.js";',
      'import api from "undici/lib/api/index.js";',
      'Object.assign(Dispatcher.prototype, api);',
      ...Object.entries(UNDICI_DISPATCHERS).map(
        ([name, file]) => `export { default as ${name} } from "undici/lib/dispatcher/${file}.js";`,
      ),
    ].join('\n');
  },
};

/**
 * Writes characters outside ASCII as escapes. One of them in three million makes V8 keep the whole source with two bytes a
 * character.
 */
export const asciiOnly: Plugin = {
  name: 'ascii-only',
  renderChunk: (code) => code.replace(/[\u0080-\uffff]/g, escapeCodeUnit),
};

function escapeCodeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
