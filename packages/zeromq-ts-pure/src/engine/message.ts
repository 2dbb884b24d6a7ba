// A message inside the engine: all its parts, at least one. Messages are passed whole; no stage sees half of one.

export type Message = Buffer[]
