// What a run of a job can end in, as a value: nothing in the executor's pipeline is told by throwing.

import type { JobFailure } from '@eventmq-ts/emqp'

/** How a run ended, as it is reported to the broker. */
export type Outcome =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly failure: JobFailure }

/** `JobFailure.code` of a job that did not end in its time. */
export const TIMEOUT = 'timeout'
