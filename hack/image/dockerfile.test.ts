import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LICENCES_FILE, SBOM_FILE } from '../supply-chain/rolldown-plugin.ts';
import { parseFinalStage } from './dockerfile.ts';

const DOCKERFILE = readFileSync('Dockerfile', 'utf8');

const LABEL = 'org.opencontainers.image';
const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8'));

test('the image runs the bundle as a user other than root, and has labels', () => {
  expect(parseFinalStage(DOCKERFILE, { REVISION: 'a1b2c3' })).toEqual({
    config: {
      Env: ['NODE_ENV=production', 'TZ=UTC', 'MALLOC_ARENA_MAX=1', 'MALLOC_TRIM_THRESHOLD_=131072'],
      User: '65532:65532',
      Entrypoint: [
        '/nodejs/bin/node',
        '--disable-sigusr1',
        '--min-semi-space-size=2',
        '--max-semi-space-size=2',
        '/manager.mjs',
      ],
      Labels: {
        [`${LABEL}.title`]: PACKAGE.name,
        [`${LABEL}.description`]: PACKAGE.description,
        [`${LABEL}.version`]: PACKAGE.version,
        [`${LABEL}.revision`]: 'a1b2c3',
        [`${LABEL}.licenses`]: PACKAGE.license,
        [`${LABEL}.base.name`]: 'scratch',
      },
    },
    copies: [
      { from: '/src/LICENSE', to: '/licenses/LICENSE' },
      { from: `/src/dist/${LICENCES_FILE}`, to: `/licenses/${LICENCES_FILE}` },
      { from: `/src/dist/${SBOM_FILE}`, to: `/${SBOM_FILE}` },
      { from: '/src/dist/manager.mjs', to: '/manager.mjs' },
    ],
  });
});

test('the image contains the Node that package.json pins', () => {
  expect(/^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(DOCKERFILE)?.[1]).toBe(PACKAGE.devDependencies.node);
});

test.each(['RUN make', 'COPY . .', 'COPY --from=build a b c'])(
  'rejects an instruction that needs an engine: %s',
  (line) => {
    expect(() => parseFinalStage(`FROM scratch\n${line}\n`)).toThrow(
      `this instruction needs a container engine: ${line}`,
    );
  },
);
