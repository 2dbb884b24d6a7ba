// How EventMQ 0.3 prints what it puts into frames: Python's `json.dumps` for strings and `repr` for floats. Printing the
// same way keeps our messages byte for byte those of a 0.3 peer.

/** A string as `json.dumps` prints it: everything outside printable ASCII escaped. */
export function pythonJsonString(text: string): string {
  const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replace(/[^ -~]/g, escapeUnit)
}

/** A finite number as Python's `repr` prints a float: `1.0`, `1796137801.6042109`, `1e+16`, `1e-05`. */
export function pythonFloat(value: number): string {
  const size = Math.abs(value)
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    const [digits, exponent] = value.toExponential().split('e') as [string, string]
    return `${digits}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`
  }
  if (Object.is(value, -0)) return '-0.0'
  return Number.isInteger(value) ? `${value}.0` : String(value)
}
