import { Client } from 'eventmq-ts'
import { wordCount } from './jobs.ts'

const client = new Client({ broker: 'tcp://127.0.0.1:47291' })
const job = await client.defer(wordCount, { text: 'to be or not to be' })
console.log(await job.result())
await client.stop()
