# A target installs its dependencies: packages into node_modules/, a control plane into the user's cache folder.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory --no-builtin-rules

# npm changes node_modules, so it must not run with the node in that folder.
SYSTEM_PATH := $(PATH)
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

# The kubectl for install and uninstall. Default: a provisioned kubectl of the right version.
KUBECTL ?=
provide_kubectl = kubectl="$(KUBECTL)"; kubectl="$${kubectl:-$$(node hack/control-plane/provision.ts kubectl)}"

# The image for deploy, build-installer, image and docker-build. Default: the image in config/manager/manager.yaml, which is
# cronjob-operator with the version of package.json.
IMG ?=

# The tool that builds and pushes images, for example podman.
CONTAINER_TOOL ?= docker
# docker-buildx builds an image for each of these platforms.
PLATFORMS ?= linux/amd64,linux/arm64
image_name = $(or $(IMG),cronjob-operator:$(shell sed -n 's/^  "version": "\(.*\)",$$/\1/p' package.json))
# The same command as in hack/image/revision.ts. Empty without git or without a repository.
git_revision = git describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null || true

PLUGIN_SOURCES := $(shell find kubectl-tcj -type f ! -name '*.test.ts' 2>/dev/null)
SOURCES := $(shell find api controllers runtime cmd schedule -name '*.ts' ! -name '*.test.ts' 2>/dev/null)

##@ General

.PHONY: help
help: ## Show this help.
	@awk 'BEGIN { FS = ":.*##"; printf "Usage: make <target>\n" } \
	  /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-zA-Z0-9_\/.-]+:.*##/ { printf "  %-17s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Development

.PHONY: dev
dev: dist/manager.mjs dist/plugin/kubectl-tcj.mjs ## Start a local cluster with the operator and a sample CronJob. Ctrl-C deletes it.
	@exec node hack/dev.ts

.PHONY: test
test: dist/manager.mjs dist/plugin/kubectl-tcj.mjs ## Run all tests. To run fewer: ARGS="--project unit" or ARGS="<part of a file name>".
	@vitest run $(ARGS)

# The tests that depend on the API server: our CRD, roles, policies and webhooks, and the controller with the reflector's fallback.
OLDEST_TESTS := crd cronjob-controller cronjob-edits narrowed-permissions rbac run-now tutorial-objects webhook-certificates \
  webhook-server webhook-validation
# Without tests of behaviour that differs in the old version: paths and texts of errors, and the missing check of 32-bit limits.
OLDEST_EXCEPT := job template is what this API server|beyond 32 bits|takes the longest name|refuses in the status|gets no other

.PHONY: test-oldest
test-oldest: dist/manager.mjs ## Run the main envtests on the oldest supported Kubernetes. Compiles it the first time.
	@api_server="$$(node hack/control-plane/provision.ts kube-apiserver-oldest)"; \
	TEST_ASSET_KUBE_APISERVER="$$api_server" vitest run --project envtest $(OLDEST_TESTS) \
	  --testNamePattern='^(?!.*($(OLDEST_EXCEPT)))' $(ARGS)

.PHONY: test-e2e
test-e2e: dist/manager.mjs ## Deploy, use, upgrade and remove the operator in a cluster. For E2E_SITE=<site> and E2E_USE_EXISTING=1 see CONTRIBUTING.md.
	@exec node hack/test-e2e.ts $(ARGS)

.PHONY: test-alerts
test-alerts: dist/manager.mjs ## Test alerts and dashboards with promtool and Prometheus. Downloads Debian's package of Prometheus if it is missing.
	@exec node hack/test-alerts.ts $(ARGS)

.PHONY: test-clients
test-clients: dist/manager.mjs ## Build a release, install each of its files, test on the oldest and newest Node, and test the Lua scripts for Argo CD. Needs Go.
	@CLIENTS=1 vitest run --project clients $(ARGS)

.PHONY: test-ui
test-ui: dist/plugin/kubectl-tcj.mjs ## Test kubectl tcj ui and the documentation site in Chromium. Installs Debian's package of Chromium if it is missing. Writes screenshots to coverage/.
	@exec node hack/test-ui.ts $(ARGS)

.PHONY: test-faults
test-faults: dist/manager.mjs ## Test the manager under faults: crashes, API server failures, failovers. FAULTS=fast runs a part; FAULTS_SEED=<n> repeats a run.
	@FAULTS="$${FAULTS:-all}" vitest run --project faults $(ARGS)

.PHONY: test-planted
test-planted: node_modules/.installed ## Check that the tests find each fault in test/planted. ARGS="12" tries one.
	@exec node hack/planted/test-planted.ts $(ARGS)

.PHONY: soak
soak: dist/manager.mjs ## Run 500 CronJobs under random faults, and check for leaks. SOAK_MINUTES=<n> (default: 10).
	@SOAK_MINUTES="$${SOAK_MINUTES:-10}" vitest run --project soak

.PHONY: reliability
reliability: node_modules/.installed ## Update docs/reliability.md with the results of the last make test-faults and with the planted faults.
	@node hack/docs/reliability.ts

.PHONY: bench-guard
bench-guard: dist/manager.mjs ## Fail if a burst of runs has become slower, compared with a plain client (2 to 4 minutes).
	@exec node test/bench/guard.ts

.PHONY: bench
bench: dist/manager.mjs ## Compare the performance with Kubernetes' CronJob controller (1 to 2 hours). ARGS="--help" lists the options.
	@exec node test/bench/performance.ts $(ARGS)

.PHONY: verify
verify: node_modules/.installed ## Check format, lint, imports, types, dead code, generated files, licences, SBOM, vulnerabilities and workflows.
	@node hack/verify.ts

.PHONY: manifests
manifests: node_modules/.installed ## Generate the CRD, RBAC roles, webhooks, reference pages of docs/ and THIRD_PARTY.md.
	@node hack/generate.ts
	@node hack/supply-chain/check.ts

.PHONY: generate
generate: node_modules/.installed ## Fetch the schemas of the API server (Job template, kustomize), then run make manifests.
	@node hack/control-plane/with-api-server.ts node runtime/manifests/fetch-schemas-command.ts \
		hack/crd/job-template.schema.json io.k8s.api.batch.v1.JobTemplateSpec
	@node hack/control-plane/with-api-server.ts node hack/kustomize/write-openapi.ts
	@$(MAKE) manifests

.PHONY: fmt
fmt: node_modules/.installed ## Format the sources and apply safe lint fixes.
	@biome check --write

.PHONY: lint
lint: node_modules/.installed ## Lint the sources, including the import rules.
	@biome lint --error-on-warnings

.PHONY: lint-workflows
lint-workflows: node_modules/.installed ## Check .github/workflows with actionlint. Downloads or builds it, unless you set ACTIONLINT=<path>.
	@node hack/supply-chain/lint-workflows.ts

.PHONY: audit
audit: node_modules/.installed ## Check the npm packages for known vulnerabilities, the bundled packages first.
	@node hack/supply-chain/audit.ts

# Not through npm, which leaves Astro running after SIGTERM.
.PHONY: docs
docs: site/node_modules/.installed ## Serve the documentation site on this machine, and update it after each change. Without search: see make site.
	@cd site && exec node_modules/.bin/astro dev

.PHONY: schedule-golden
schedule-golden: ## Regenerate the golden files of schedules and time zone names with robfig/cron. Needs Go.
	@command -v go >/dev/null || { echo 'go is not installed. Install it: https://go.dev/dl/' >&2; exit 1; }
	@cd schedule/oracle && go run .

.PHONY: yaml-golden
yaml-golden: ## Regenerate the golden files of kubectl's YAML parser and of Go's quantities. Needs Go.
	@command -v go >/dev/null || { echo 'go is not installed. Install it: https://go.dev/dl/' >&2; exit 1; }
	@cd runtime/yaml/oracle && gunzip -c golden/texts.jsonl.gz | go run . > golden/texts.jsonl && gzip -9nf golden/texts.jsonl
	@cd runtime/yaml/oracle && go run ./quantities | gzip -9n > golden/quantities.jsonl.gz

##@ Build

.PHONY: build
build: dist/manager.mjs ## Bundle the manager into dist/manager.mjs, with licences and SBOM.

dist/manager.mjs: $(SOURCES) $(wildcard hack/supply-chain/*.ts) rolldown.config.ts node_modules/.installed
	@npm run --silent build

.PHONY: plugin
plugin: dist/plugin/kubectl-tcj.mjs ## Bundle kubectl tcj into dist/plugin. To install it, link it as kubectl-tcj into a folder of PATH.

dist/plugin/kubectl-tcj.mjs: $(SOURCES) $(PLUGIN_SOURCES) $(wildcard hack/supply-chain/*.ts) $(wildcard hack/plugin/*-page.ts) node_modules/.installed
	@npm run --silent build:plugin
	@chmod +x $@

.PHONY: plugin-executable
plugin-executable: node_modules/.installed ## Build kubectl tcj as an executable with Node inside, and its archive, into dist/plugin (30 s).
	@node hack/plugin/build-executable.ts

.PHONY: packages
packages: node_modules/.installed ## Build and pack the npm packages into dist/packages/. HOMEPAGE=<URL> adds the project's address to them.
	@node hack/packages/pack.ts --homepage="$(HOMEPAGE)"

.PHONY: run
run: dist/manager.mjs ## Run the manager on this machine against the cluster of KUBECONFIG. ARGS=<flags> passes flags.
	@exec node dist/manager.mjs --log-format=human $(ARGS)

.PHONY: image
image: dist/manager.mjs ## Build the image into dist/image.tar without Docker. Load it with docker load, ctr images import or kind.
	@node hack/image/build.ts "$(image_name)"

.PHONY: docker-build
docker-build: ## Build the image with Docker. IMG=<name>:<tag> sets its name, DOCKER_ARGS=<flags> passes flags.
	@$(CONTAINER_TOOL) build --build-arg REVISION="$$($(git_revision))" --tag "$(image_name)" $(DOCKER_ARGS) .

.PHONY: docker-push
docker-push: ## Push the image of make docker-build.
	@$(CONTAINER_TOOL) push "$(image_name)"

.PHONY: docker-buildx
docker-buildx: ## Build the image for each platform in PLATFORMS and push it. Needs docker buildx.
	@$(CONTAINER_TOOL) buildx build --push --platform="$(PLATFORMS)" --build-arg REVISION="$$($(git_revision))" --tag "$(image_name)" $(DOCKER_ARGS) .

SITE_FOLDER := $(CURDIR)/dist/site

.PHONY: site
site: site/node_modules/.installed ## Build the documentation site into dist/site. site/astro.config.mjs lists its variables.
	@npm --prefix site run --silent build -- --outDir "$(SITE_FOLDER)"

# Not a workspace: docs/adr/0045-documentation-site.md
site/node_modules/.installed: site/package.json site/package-lock.json node_modules/.installed
	@echo 'Installing the npm packages of the site (about half a minute) …'
	@npm --prefix site ci --ignore-scripts --loglevel=error
	@touch $@

.PHONY: set-version
set-version: node_modules/.installed ## Set the version of the next release in all files. VERSION=<version>.
	@node hack/release/version.ts "$(VERSION)"

.PHONY: release
release: dist/manager.mjs ## Build all files of a release into dist/release. Options: VERSION IMAGE REPOSITORY PLUGINS DRY_RUN=1.
	@node hack/release/release.ts --version="$(VERSION)" --image="$(IMAGE)" --repository="$(REPOSITORY)" --plugins="$(PLUGINS)" \
	  --output="$(OUTPUT)" $(if $(DRY_RUN),--dry-run)

##@ Deployment

.PHONY: install
install: node_modules/.installed ## Install the CRD into the cluster of KUBECONFIG.
	@$(provide_kubectl); KUBECTL="$$kubectl"; source hack/reach.sh; reach_cluster; "$$kubectl" apply -k config/crd

.PHONY: uninstall
uninstall: node_modules/.installed ## Delete the CRD and all CronJobs from the cluster of KUBECONFIG. YES=1 skips the confirmation.
	@$(provide_kubectl); KUBECTL="$$kubectl" hack/uninstall.sh

# OVERLAY is a folder below config/; NAMESPACE, when set, replaces the namespace in it.
OVERLAY := config/default
NAMESPACE :=

.PHONY: deploy
deploy: node_modules/.installed ## Deploy the CRD and the manager to the cluster of KUBECONFIG. Options: IMG=<image> OVERLAY=<folder> NAMESPACE=<name>.
	@$(provide_kubectl); KUBECTL="$$kubectl" IMG="$(IMG)" OVERLAY="$(OVERLAY)" NAMESPACE="$(NAMESPACE)" hack/installer/deploy.sh

.PHONY: undeploy
undeploy: node_modules/.installed ## Delete the objects of make deploy. KEEP_CRD=1 keeps the CronJobs, YES=1 skips the confirmation.
	@$(provide_kubectl); KUBECTL="$$kubectl" OVERLAY="$(OVERLAY)" NAMESPACE="$(NAMESPACE)" hack/installer/undeploy.sh

.PHONY: build-installer
build-installer: dist/install.yaml ## Write the manifests of make deploy to dist/install.yaml. IMG=<image> sets the image.

.PHONY: dist/install.yaml
dist/install.yaml: node_modules/.installed
	@mkdir -p dist
	@$(provide_kubectl); KUBECTL="$$kubectl" node hack/installer/render.ts --image="$(IMG)" >$@.partial && mv $@.partial $@
	@echo "$@: install with kubectl apply -f $@"

.PHONY: helm
helm: node_modules/.installed ## Lint and package the Helm chart into dist/. Downloads or builds helm, unless you set HELM=<path>.
	@helm="$$(node hack/control-plane/provision.ts helm)"; mkdir -p dist; \
	"$$helm" lint --strict charts/cronjob-operator && "$$helm" package charts/cronjob-operator --destination dist

##@ Dependencies

node_modules: node_modules/.installed ## Install the npm packages, including Node 24.

# Not `npm ci`: it creates node_modules again, which takes half a minute after each change of a package.json. docs/adr/0008-lock-file.md
node_modules/.installed: package.json package-lock.json schedule/package.json runtime/package.json kubectl-tcj/package.json \
  create-controller-runtime/package.json
	@export PATH="$(SYSTEM_PATH)"; \
	command -v npm >/dev/null || { echo 'npm is not installed. Install Node.js: https://nodejs.org/' >&2; exit 1; }; \
	echo 'Installing npm packages (about half a minute) …'; \
	npm install --no-save --loglevel=error || { echo 'npm install failed, see above. Check that you can reach the npm registry: npm ping' >&2; exit 1; }; \
	node_modules/.bin/node --version >/dev/null || { echo 'npm did not install Node 24. Check that ignore-scripts is off: npm config get ignore-scripts' >&2; exit 1; }; \
	touch $@

.PHONY: control-plane
control-plane: node_modules/.installed ## Download or build etcd, Kubernetes and kwok into the cache folder. Other targets run this when needed.
	@node hack/control-plane/provision.ts
