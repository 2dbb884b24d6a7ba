// Whether what is installed is what package-lock.json asks for. npm leaves a list of what it installed in
// node_modules/.package-lock.json; comparing contents rather than file times makes the answer survive git checkouts,
// copied folders and interrupted installs. In: the two parsed lock files. Out: the first difference as text, if any.

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, devOptional?: boolean,
 *             extraneous?: boolean }} LockEntry
 * @typedef {{ packages?: Record<string, LockEntry> }} LockFile
 */

/**
 * @param {LockFile} wanted package-lock.json
 * @param {LockFile} installed node_modules/.package-lock.json
 * @returns {string | undefined} why an install is needed; undefined if it is not
 */
export function differenceFromLock(wanted, installed) {
  const wantedEntries = wanted.packages ?? {}
  const installedEntries = installed.packages ?? {}
  for (const [path, want] of Object.entries(wantedEntries)) {
    if (path === '') continue
    const have = installedEntries[path]
    if (have === undefined) {
      // Packages for other platforms are in the lock file but never installed here.
      if (want.optional === true || want.devOptional === true) continue
      return `${path} is not installed`
    }
    if (have.version !== want.version) return `${path} is ${have.version}, package-lock.json asks for ${want.version}`
    if (have.integrity !== undefined && want.integrity !== undefined && have.integrity !== want.integrity)
      return `${path} has other contents than package-lock.json asks for`
  }
  for (const [path, have] of Object.entries(installedEntries)) {
    if (wantedEntries[path] === undefined && have.extraneous !== true) return `${path} is no longer asked for`
  }
  return undefined
}
