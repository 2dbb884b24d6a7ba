// A reason why a step cannot run, said to a person: what is wrong, and what to do about it. `run.mjs` prints it and
// exits; every other error is a fault of the scripts and keeps its stack.

export class SetupFailure extends Error {
  /**
   * @param {string} problem what is wrong, with the values seen and expected
   * @param {readonly string[]} remedies what to do, most likely first
   * @param {ErrorOptions} [options]
   */
  constructor(problem, remedies, options) {
    super(problem, options)
    this.name = 'SetupFailure'
    this.remedies = remedies
  }

  /** The failure as lines for a terminal or a log. */
  toLines() {
    return [`error: ${this.message}`, ...this.remedies.map((remedy) => `  - ${remedy}`)]
  }
}
