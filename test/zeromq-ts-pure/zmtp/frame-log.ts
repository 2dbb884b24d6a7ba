// A frame sink that writes down what it gets. Bodies are copied, since they may be views that later bytes overwrite.

import { CONTINUE, type FrameSink, type Verdict } from 'zeromq-ts-pure/zmtp'

export interface LoggedFrame {
  readonly flags: number
  readonly body: Uint8Array
}

export class FrameLog implements FrameSink {
  readonly frames: LoggedFrame[] = []
  /** What the sink says after its nth frame, counted from 1. */
  readonly #verdictAfter: (count: number) => Verdict

  constructor(verdictAfter: (count: number) => Verdict = () => CONTINUE) {
    this.#verdictAfter = verdictAfter
  }

  frame(flags: number, body: Uint8Array): Verdict {
    this.frames.push({ flags, body: body.slice() })
    return this.#verdictAfter(this.frames.length)
  }
}
