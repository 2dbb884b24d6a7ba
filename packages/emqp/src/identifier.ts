// The types of the names that eMQP's frames carry as text, so that a queue's name is never taken for a job's id. Where a
// plain string becomes one is checked-name.ts.

declare const messageIdBrand: unique symbol
declare const queueNameBrand: unique symbol

/** Text that names one message. A REQUEST's message id is the job's id. 1 to `LIMITS.messageIdBytes` of UTF-8. */
export type MessageId = string & { readonly [messageIdBrand]: true }

/** A queue's name, 1 to `LIMITS.queueNameBytes` of UTF-8. */
export type QueueName = string & { readonly [queueNameBrand]: true }
