/** Images of the clusters that we set up: they have ordinary names, but are not in a registry. */

export const MANAGER_IMAGE = 'cronjob-operator:e2e';
/** The same image under another name, for an upgrade. */
export const NEXT_MANAGER_IMAGE = 'cronjob-operator:e2e-next';
/** The image in the samples. */
export const SHELL_IMAGE = 'busybox:1.37';
