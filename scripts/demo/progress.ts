// How far the demo is: a bar that redraws itself on a terminal, a line for every quarter elsewhere.

const widestBar = 30

export class Progress {
  readonly #what: string
  readonly #total: number
  readonly #out: NodeJS.WriteStream
  #done = 0
  #quarter = 0

  constructor(what: string, total: number, out: NodeJS.WriteStream = process.stdout) {
    this.#what = what
    this.#total = total
    this.#out = out
  }

  /** One more is done. */
  advance(): void {
    this.#done++
    if (this.#out.isTTY) this.#draw()
    else this.#print()
  }

  #draw(): void {
    const told = ` ${this.#done}/${this.#total} ${this.#what}`
    // One column stays free, for terminals that wrap as soon as a line is full.
    const width = Math.max(0, Math.min(widestBar, this.#out.columns - told.length - 3))
    const filled = Math.floor((width * this.#done) / this.#total)
    const bar = `${'#'.repeat(filled)}${'-'.repeat(width - filled)}`
    this.#out.write(`\r[${bar}]${told}${this.#done === this.#total ? '\n' : ''}`)
  }

  #print(): void {
    const quarter = Math.floor((4 * this.#done) / this.#total)
    if (quarter === this.#quarter) return
    this.#quarter = quarter
    this.#out.write(`${this.#done}/${this.#total} ${this.#what}\n`)
  }
}
