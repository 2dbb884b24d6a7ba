// Operations that can be done at once give promises that are resolved already, so a loop over them would never let the
// event loop turn. After so many in a row one is made to wait for the next turn, as npm `zeromq` does; nothing starves.

const OPERATIONS_A_TURN = 512

const DONE = Promise.resolve()

export class Turn {
  #operations = 0

  /** A promise for an operation that was done at once. */
  done(): Promise<void> {
    return this.#exhausted() ? nextTurn() : DONE
  }

  /** A promise for a result that was there at once. */
  given<T>(result: T): Promise<T> {
    return this.#exhausted() ? nextTurn().then(() => result) : Promise.resolve(result)
  }

  #exhausted(): boolean {
    if (++this.#operations < OPERATIONS_A_TURN) return false
    this.#operations = 0
    return true
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
