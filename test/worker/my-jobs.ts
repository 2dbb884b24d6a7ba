// Jobs as the recorded exchanges call them in module `my_jobs`: plain functions and a class, as a user may write them.

export function add(...numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

/** Keyword arguments come as one last object. */
export function echo(first: unknown, second: unknown, kwargs: object): unknown {
  return { args: [first, second], kwargs }
}

export function noop(): void {
  // Returns nothing.
}

export function fail(): never {
  throw new Error('deliberate failure')
}

export function unserializable(): Set<number> {
  return new Set([1, 2])
}

export const notCallable = 42

class Named {
  readonly who: string

  constructor(who: string) {
    this.who = who
  }

  name(): string {
    return this.who
  }
}

export class Greeter extends Named {
  readonly #punctuation: string

  constructor(who: string, options: { readonly punctuation?: string } = {}) {
    super(who)
    this.#punctuation = options.punctuation ?? '!'
  }

  get trap(): never {
    throw new Error('a getter must not be looked into')
  }

  greet(word: string): string {
    return `${word}, ${this.who}${this.#punctuation}`
  }
}
