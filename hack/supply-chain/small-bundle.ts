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

/**
 * Leaves out of undici what our programs do not use: fetch, WebSocket, caches, mocks, HTTP/2. They are two thirds of it, and load
 * a tenth of Node's own modules besides.
 */
export const smallUndici: Plugin = {
  name: 'small-undici',
  resolveId(id, importer) {
    if (id === 'undici') return '\0small-undici';
    // undici takes it for a Node without HTTP/2, which transport.ts does not allow.
    return id === 'node:http2' && importer?.includes('/undici/') ? '\0no-http2' : null;
  },
  load(id) {
    if (id === '\0no-http2') return 'throw new Error("node:http2 is not loaded");';
    if (id !== '\0small-undici') return null;
    const dispatchers = { Agent: 'agent', Pool: 'pool', ProxyAgent: 'proxy-agent' };
    return [
      'require("undici/lib/dispatcher/dispatcher.js").prototype.request = require("undici/lib/api/api-request.js");',
      ...Object.entries(dispatchers).map(
        ([name, file]) => `exports.${name} = require("undici/lib/dispatcher/${file}.js");`,
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
