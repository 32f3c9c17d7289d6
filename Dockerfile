# The manager as an image: one bundled file, node, and nothing else. No shell, no package manager, not root.
#
# The last stage starts from "minimal" below. To start from a distroless image instead, name it, with its registry:
#   docker build --build-arg BASE_IMAGE=<registry>/distroless/nodejs24-debian12:nonroot .
# It must have node at /nodejs/bin/node, as those have.
ARG BASE_IMAGE=minimal
# The version is the one that package.json pins: a test compares them.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# The bundle is the same for every processor: it is built once, on the builder's own.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --loglevel=error
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
FROM ${BASE_IMAGE}
COPY --from=build /src/dist/manager.mjs /manager.mjs
ENV NODE_ENV=production TZ=UTC
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "--disable-sigusr1", "/manager.mjs"]
