import packageJson from '../package.json' with { type: 'json' };

/** Version of this build. */
export const VERSION = packageJson.version;
