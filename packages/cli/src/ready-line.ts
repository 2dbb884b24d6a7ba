// The one line on standard output by which a supervisor or a script knows that a service is ready, and where.

/**
 * Prints `eventmq ROLE ready NAME=VALUE ...`. Values with blanks or quotes stand in JSON's quotes.
 *
 * @example
 * announceReady('scheduler', { broker: 'tcp://127.0.0.1:47291' })
 */
export function announceReady(role: string, facts: Readonly<Record<string, string | number>>): void {
  const told = Object.entries(facts).map(([name, value]) => `${name}=${printed(String(value))}`)
  process.stdout.write(`${['eventmq', role, 'ready', ...told].join(' ')}\n`)
}

function printed(value: string): string {
  return /^[^\s"]+$/.test(value) ? value : JSON.stringify(value)
}
