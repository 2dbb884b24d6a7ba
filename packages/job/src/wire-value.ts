// The type of a job's output after its way through JSON, so that a client's types do not promise what a wire cannot keep.

/**
 * What a client gets for an output of type `T`: nothing (`undefined`, `void`) as `true`, bytes as bytes, dates and other
 * values with `toJSON` as what that returns, functions not at all.
 *
 * @example
 * type Got = WireValue<{ at: Date; count: number }> // { at: string; count: number }
 */
export type WireValue<T> = unknown extends T ? T : T extends T ? TopLevel<T> : never

type TopLevel<T> = undefined extends T ? true : T extends Uint8Array ? Uint8Array : Inner<T>

type Inner<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends { toJSON(...parameters: never[]): infer Json }
      ? Inner<Json>
      : T extends Callable | symbol | bigint
        ? never
        : T extends readonly (infer Item)[]
          ? Inner<Item>[]
          : { [K in keyof T as T[K] extends Callable | symbol ? never : K]: Inner<T[K]> }

type Callable = (...parameters: never[]) => unknown
