export {
  compareDuePositions,
  compareQueuePositions,
  type DuePosition,
  type JobRecord,
  type JobState,
  type JobSummary,
  type Lease,
  type Outcome,
  type OutcomeReason,
  type QueuePosition,
  TRANSITIONS,
} from './job-record.ts'
export { type JobStore, PAGE_LIMIT, type Page, type StoreOverview } from './job-store.ts'
export { MemoryStore } from './memory-store.ts'
export { type RoutingId, routingIdBytes, routingIdOf } from './routing-id.ts'
export type { ScheduleRecord } from './schedule-record.ts'
export { StoreError, type StoreErrorCode } from './store-error.ts'
export type {
  AddJob,
  ChangeAsker,
  ClaimJob,
  CommitResult,
  FinishJob,
  PromoteJob,
  PutSchedule,
  RemoveSchedule,
  RenewLease,
  RequeueJob,
  StoreWrite,
} from './store-write.ts'
