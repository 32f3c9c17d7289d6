# The manager as an image: one bundled file, node, and nothing else. No shell, no package manager, not root.
#
# The last stage starts from "minimal" below. To start from a distroless image instead, name it, with its registry:
#   docker build --build-arg BASE_IMAGE=<registry>/distroless/nodejs24-debian12:nonroot .
# It must have node at /nodejs/bin/node, as those have.
ARG BASE_IMAGE=
# The version is the one that package.json pins: a test compares them. There is no digest: where this was written no registry of
# images could be asked for one. Renovate adds it with its first change, and keeps both (renovate.json).
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# The bundle is the same for every processor: it is built once, on the builder's own.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY schedule/package.json schedule/
COPY runtime/package.json runtime/
COPY kubectl-tcj/package.json kubectl-tcj/
COPY create-controller-runtime/package.json create-controller-runtime/
RUN npm ci --loglevel=error
COPY . .
RUN npm run build

# node and its libraries, of the processor that the image is for.
FROM ${NODE_IMAGE} AS runtime
WORKDIR /src
COPY hack/image hack/image
RUN node hack/image/write-runtime-files.ts /runtime

FROM scratch AS minimal
COPY --from=runtime /runtime /

# `make image` reads this stage: it makes the same without an engine.
FROM ${BASE_IMAGE:-minimal}
COPY --from=build /src/LICENSE /licenses/LICENSE
COPY --from=build /src/dist/THIRD_PARTY_LICENSES /licenses/THIRD_PARTY_LICENSES
COPY --from=build /src/dist/sbom.cdx.json /sbom.cdx.json
COPY --from=build /src/dist/manager.mjs /manager.mjs
# malloc with one arena that gives memory back: V8's threads would keep 10 MiB in arenas of their own (docs/adr/0027-memory-of-the-process.md).
ENV NODE_ENV=production TZ=UTC MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072
USER 65532:65532
# A young generation of twice V8's first size: what a reconcile holds while its requests are under way is not copied into the old one.
ENTRYPOINT ["/nodejs/bin/node", "--disable-sigusr1", "--min-semi-space-size=2", "--max-semi-space-size=2", "/manager.mjs"]
# Last: another revision then makes no other layer. Title, description, version and licence are those of package.json, by a test.
ARG BASE_IMAGE
# The commit: `make docker-build` and `make image` ask git.
ARG REVISION=
LABEL org.opencontainers.image.title="cronjob-operator" \
  org.opencontainers.image.description="A kubebuilder-style CronJob operator in TypeScript, and the small controller-runtime under it" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.base.name="${BASE_IMAGE:-scratch}"
