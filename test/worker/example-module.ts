// A module as a user may write it: plain functions and a class, for the tests of loading and calling.

export function add(...numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

export function echo(...values: readonly unknown[]): readonly unknown[] {
  return values
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
