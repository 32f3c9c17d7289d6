/** Rolldown plugins that reduce the start-up time and the memory of a bundle. */
import { createRequire, isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';
import { ROLLDOWN_RUNTIME } from './bundled-packages.ts';

const BUILTIN_PREFIX = '\0builtin:';

/**
 * Loads Node's built-in modules at run time instead of with ES imports. If an old Node lacks an imported export, an ES import fails before
 * the check of the version. An ES import of `node:http` also evaluates all exports, including WebSocket with a second copy of undici, which
 * needs 20 MB and a tenth of the start-up time.
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
      // `@__PURE__` lets Rolldown remove exports that no module imports.
      ...exportNames.map((each) => `export const ${each} = /* @__PURE__ */ (() => builtin.${each})();`),
    ].join('\n');
  },
};

/** The file of each name that our programs import from undici. */
const UNDICI_DISPATCHERS = { Agent: 'agent', Pool: 'pool', ProxyAgent: 'proxy-agent' };

/**
 * Removes the parts of undici that its dispatchers do not use, such as fetch, WebSocket, caches and mocks. These parts need 5 MB and a
 * fifth of the start-up time. Like undici's index.js, adds the methods of lib/api to the dispatchers. An import of a removed part fails the
 * build.
 */
export const smallUndici: Plugin = {
  name: 'small-undici',
  resolveId(id, importer) {
    if (id === 'undici') return '\0small-undici';
    // Without `node:http2`, undici uses only HTTP/1.1, like connections.ts.
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

const { DAYS_IN_MONTH } = createRequire(import.meta.url)('cron-parser/dist/CronDate.js');
const CRON_PARSER_PREFIX = '\0small-cron-parser:';

/**
 * Replacements for modules of cron-parser. Each exports all that its importer uses. The removed collection of fields also rejects days that
 * no month has, which Kubernetes accepts.
 */
const CRON_PARSER_PARTS: Readonly<Record<string, string>> = {
  'cron-parser': 'export { CronExpressionParser } from "cron-parser/dist/CronExpressionParser.js";',
  './CronExpression': 'export class CronExpression { constructor(fields) { this.fields = fields; } }',
  './CronFieldCollection': 'export class CronFieldCollection { constructor(fields) { return fields; } }',
  '../CronDate': `export const DAYS_IN_MONTH = ${JSON.stringify(DAYS_IN_MONTH)};`,
};

/**
 * Reduces cron-parser to its parser of fields, because kubernetes-cron-schedule computes times itself. The removed parts include luxon,
 * which is twice as large as cron-parser. An import of a removed part fails the build.
 */
export const smallCronParser: Plugin = {
  name: 'small-cron-parser',
  resolveId(id, importer) {
    const isReplaced = id === 'cron-parser' || (importer?.includes('/cron-parser/') && id in CRON_PARSER_PARTS);
    return isReplaced ? `${CRON_PARSER_PREFIX}${id}` : null;
  },
  load: (id) => (id.startsWith(CRON_PARSER_PREFIX) ? CRON_PARSER_PARTS[id.slice(CRON_PARSER_PREFIX.length)] : null),
};

/** The file of each name that controller-runtime imports from prom-client. */
const PROM_CLIENT_FILES = {
  Registry: 'registry',
  Counter: 'counter',
  Gauge: 'gauge',
  Histogram: 'histogram',
  collectDefaultMetrics: 'defaultMetrics',
};

/**
 * Removes the parts of prom-client that controller-runtime does not use: summaries, which need tdigest and bintrees, and exemplars, which
 * need OpenTelemetry. An import of a removed part fails the build. Loads Node's modules without `createRequire`, because an import of
 * `createRequire` in the copy would conflict with the same import in the banner that esbuild needs.
 */
export const smallPromClient: Plugin = {
  name: 'small-prom-client',
  resolveId(id, importer) {
    if (id === 'prom-client') return '\0small-prom-client';
    if (!importer?.includes('/prom-client/')) return null;
    if (isBuiltin(id)) return `\0required:${id}`;
    return id === '@opentelemetry/api' ? '\0no-opentelemetry' : null;
  },
  load(id) {
    if (id === '\0no-opentelemetry') return 'export {};';
    if (id.startsWith('\0required:'))
      return `module.exports = process.getBuiltinModule(${JSON.stringify(id.slice('\0required:'.length))});`;
    if (id !== '\0small-prom-client') return null;
    return Object.entries(PROM_CLIENT_FILES)
      .map(([name, file]) => `export { default as ${name} } from "prom-client/lib/${file}.js";`)
      .join('\n');
  },
};

/** Escapes characters outside ASCII, because a single such character makes V8 store the whole source with two bytes per character. */
export const asciiOnly: Plugin = {
  name: 'ascii-only',
  renderChunk: (code) => code.replace(/[\u0080-\uffff]/g, escapeCodeUnit),
};

function escapeCodeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
