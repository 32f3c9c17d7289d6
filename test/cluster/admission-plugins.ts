/**
 * Plugins that the API servers of test/e2e have besides those that are on by default. Some distributions have this one: whoever
 * lets an object block the deletion of its owner must be allowed to write the owner's finalizers.
 */
export const ADMISSION_PLUGINS: readonly string[] = ['OwnerReferencesPermissionEnforcement'];
