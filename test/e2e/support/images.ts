/** Images of the clusters that we set up: they have ordinary names, but are not in a registry. */

export const MANAGER_IMAGE = 'cronjob-operator:e2e';
/** The image of a release, whose name has a registry, for an upgrade. */
export const NEXT_MANAGER_IMAGE = 'registry.example/cronjob-operator:e2e-next';
/** The image in the samples. */
export const SHELL_IMAGE = 'busybox:1.37';
