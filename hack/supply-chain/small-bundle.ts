/** Plugins of rolldown that make a bundle start faster and take less memory. */
import { isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';
import { ROLLDOWN_RUNTIME } from './bundled-packages.ts';

const BUILTIN_PREFIX = '\0builtin:';

/**
 * Reads Node's own modules while the bundle runs, where an ES import links them before. A Node without an export of one would fail at this
 * point, before it can report that it is too old. For an ES import of `node:http`, Node also evaluates every export at once, including its
 * WebSocket, and with that a second copy of undici: 20 MB and a tenth of the start-up.
 */
export const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  resolveId: (id, importer, { kind }) =>
    isBuiltin(id) && kind === 'import-statement' && importer !== ROLLDOWN_RUNTIME ? `${BUILTIN_PREFIX}${id}` : null,
  load(id) {
    if (!id.startsWith(BUILTIN_PREFIX)) return null;
    const name = id.slice(BUILTIN_PREFIX.length);
    const exportNames = Object.keys(process.getBuiltinModule(name) ?? {}).filter(
      (each) => /^\w+$/.test(each) && each !== 'default',
    );
    return [
      `const builtin = process.getBuiltinModule(${JSON.stringify(name)});`,
      'export default builtin;',
      // Pure: an export that no module imports is not read.
      ...exportNames.map((each) => `export const ${each} = /* @__PURE__ */ (() => builtin.${each})();`),
    ].join('\n');
  },
};

/** The names that our programs import from undici, by file. */
const UNDICI_DISPATCHERS = { Agent: 'agent', Pool: 'pool', ProxyAgent: 'proxy-agent' };

/**
 * Removes parts of undici that its dispatchers do not use: fetch, WebSocket, caches, mocks. They are two thirds of undici: 5 MB and a fifth
 * of the start-up. The rest is as in undici's own index.js, because dispatchers call each other's methods, which all come from lib/api. An
 * import of a removed part fails the build.
 */
export const smallUndici: Plugin = {
  name: 'small-undici',
  resolveId(id, importer) {
    if (id === 'undici') return '\0small-undici';
    // undici then assumes a Node without HTTP/2. connections.ts does not offer HTTP/2 to servers and proxies.
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
 * Writes characters outside ASCII as escapes. One such character in three million makes V8 store the whole source with two bytes per
 * character.
 */
export const asciiOnly: Plugin = {
  name: 'ascii-only',
  renderChunk: (code) => code.replace(/[\u0080-\uffff]/g, escapeCodeUnit),
};

function escapeCodeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
