export { Broker } from './broker.ts'
export { BrokerError, type BrokerErrorCode } from './broker-error.ts'
export {
  type BrokerOptions,
  type BrokerSettings,
  brokerSettingsSchema,
  type CompleteBrokerSettings,
  readBrokerSettings,
} from './broker-options.ts'
export type { BrokerStats, Endpoint } from './core/index.ts'
