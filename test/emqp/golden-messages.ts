// One line for each command, shape and dialect: what is said, and the frames that say it. The tests of the codec drive
// both directions with it. Sources: recordings of EventMQ 0.3.13, and the eMQP document of January 2016.

import {
  type Command,
  type DecodeContext,
  type Dialect,
  makeHeaders,
  messageId,
  NO_HEADERS,
  parseHeaders,
  queueName,
} from '@eventmq-ts/emqp'

/** One line of the table. */
export interface GoldenMessage {
  readonly name: string
  /** The dialect of the layout. */
  readonly dialect: Dialect
  readonly context: DecodeContext
  readonly command: Command
  /** Frames as text; bytes where they are none. The delimiter and the protocol are left out. */
  readonly frames: readonly (string | Uint8Array)[]
  /** What `encode` prints where the frames are another way to say the same. */
  readonly canonical?: readonly string[]
}

const id = messageId('m1')
const request = messageId('job-7')
const queue = queueName('default')
const payload = new TextEncoder().encode('["run", {}]')
const opaque = Uint8Array.of(0xff, 0xfe, 0x00, 0x80)
const broker = { receiver: 'broker' } as const
const peer = { receiver: 'peer' } as const
const administrator = { receiver: 'administrator' } as const
const run = '["run", {}]'

function weighted(...pairs: readonly (readonly [number, string])[]) {
  return pairs.map(([weight, name]) => ({ weight, name: queueName(name) }))
}

function headers(text: string) {
  const read = parseHeaders(text)
  if (!read.ok) throw read.error
  return read.value
}

function line(
  name: string,
  dialect: Dialect,
  context: DecodeContext,
  command: Command,
  frames: GoldenMessage['frames'],
  canonical?: readonly string[],
): GoldenMessage {
  return { name, dialect, context, command, frames, ...(canonical === undefined ? {} : { canonical }) }
}

const every60 = { kind: 'interval', seconds: 60 } as const
const cron = { kind: 'cron', expression: '0,30 * * * 1,5' } as const
const guarantee = makeHeaders({ guarantee: true })

/** The table. */
export const goldenMessages: readonly GoldenMessage[] = [
  line(
    'INFORM of a worker',
    '0.3',
    broker,
    { type: 'INFORM', id, role: 'worker', queues: weighted([40, 'email'], [10, 'default']) },
    ['INFORM', 'm1', '[[40, "email"], [10, "default"]]', 'worker'],
  ),
  line('INFORM for the default queues', '0.3', broker, { type: 'INFORM', id, role: 'worker', queues: [] }, [
    'INFORM',
    'm1',
    '',
    'worker',
  ]),
  line('INFORM of a scheduler', '0.3', broker, { type: 'INFORM', id, role: 'scheduler', queues: [] }, [
    'INFORM',
    'm1',
    '',
    'scheduler',
  ]),
  line(
    'INFORM with a name outside ASCII, as json.dumps escapes it',
    '0.3',
    broker,
    { type: 'INFORM', id, role: 'worker', queues: weighted([10, 'Größe/✓ 👩‍👩‍👧\u007f"\\']) },
    [
      'INFORM',
      'm1',
      '[[10, "Gr\\u00f6\\u00dfe/\\u2713 \\ud83d\\udc69\\u200d\\ud83d\\udc69\\u200d\\ud83d\\udc67\\u007f\\"\\\\"]]',
      'worker',
    ],
  ),
  line(
    'INFORM in compact JSON',
    '0.3',
    broker,
    { type: 'INFORM', id, role: 'worker', queues: weighted([0, 'é']) },
    ['INFORM', 'm1', '[[0,"é"]]', 'worker'],
    ['INFORM', 'm1', '[[0, "\\u00e9"]]', 'worker'],
  ),
  line(
    'INFORM by names',
    '2016',
    broker,
    { type: 'INFORM', id, role: 'worker', queues: weighted([10, 'email'], [10, 'default']) },
    ['INFORM', 'm1', 'email,default', 'worker'],
  ),
  line(
    'INFORM by names with blanks',
    '2016',
    broker,
    { type: 'INFORM', id, role: 'worker', queues: weighted([10, 'email'], [10, 'default']) },
    ['INFORM', 'm1', ' email , default', 'worker'],
    ['INFORM', 'm1', 'email,default', 'worker'],
  ),
  line('ACK', '0.3', peer, { type: 'ACK', id, acknowledges: request }, ['ACK', 'm1', 'job-7']),
  line('READY', '0.3', broker, { type: 'READY', id }, ['READY', 'm1']),
  line('REQUEST', '0.3', broker, { type: 'REQUEST', id, queue, headers: NO_HEADERS, payload }, [
    'REQUEST',
    'm1',
    'default',
    '',
    run,
  ]),
  line(
    'REQUEST with headers, unknown ones and blanks among them, byte for byte',
    '0.3',
    peer,
    { type: 'REQUEST', id, queue, headers: headers('x-unknown:1, guarantee ,,retry-count:3'), payload },
    ['REQUEST', 'm1', 'default', 'x-unknown:1, guarantee ,,retry-count:3', run],
  ),
  line(
    'REQUEST with a name outside ASCII and opaque bytes',
    '0.3',
    broker,
    { type: 'REQUEST', id, queue: queueName('\ufeffGröße/✓'), headers: NO_HEADERS, payload: opaque },
    ['REQUEST', 'm1', '\ufeffGröße/✓', '', opaque],
  ),
  line(
    'REQUEST with an empty payload',
    '0.3',
    broker,
    {
      type: 'REQUEST',
      id,
      queue,
      headers: NO_HEADERS,
      payload: new Uint8Array(0),
    },
    ['REQUEST', 'm1', 'default', '', ''],
  ),
  line('REPLY of a worker', '0.3', broker, { type: 'REPLY', kind: 'result', id, request, payload }, [
    'REPLY',
    'm1',
    run,
    'job-7',
  ]),
  line('REPLY to the client that asked', '0.3', peer, { type: 'REPLY', kind: 'result', id, request, payload: opaque }, [
    'REPLY',
    'm1',
    opaque,
    'job-7',
  ]),
  line('REPLY "dispatched"', '0.3', peer, { type: 'REPLY', kind: 'dispatched', id, request }, ['REPLY', 'm1', 'job-7']),
  line('REPLY to an administrator', '0.3', administrator, { type: 'REPLY', kind: 'administration', id, payload }, [
    'REPLY',
    'm1',
    run,
  ]),
  line('REPLY of a 2016 worker', '2016', broker, { type: 'REPLY', kind: 'payload', id, payload }, ['REPLY', 'm1', run]),
  line(
    'REPLY of a 2016 broker',
    '2016',
    { receiver: 'peer', dialect: '2016' },
    { type: 'REPLY', kind: 'payload', id, payload: opaque },
    ['REPLY', 'm1', opaque],
  ),
  ...(
    [
      ['1796137801.6042109', 1796137801.6042109],
      ['1.0', 1],
      ['0.0', 0],
      ['-2.5', -2.5],
      ['1e+16', 1e16],
      ['1.5e-05', 0.000015],
      ['0.0001', 0.0001],
      ['9007199254740992.0', 2 ** 53],
      ['1.7976931348623157e+308', Number.MAX_VALUE],
    ] as const
  ).map(([text, sentAtSeconds]) =>
    line(`HEARTBEAT at ${text}`, '0.3', broker, { type: 'HEARTBEAT', id, sentAtSeconds }, ['HEARTBEAT', 'm1', text]),
  ),
  line(
    'HEARTBEAT at a whole second without a point',
    '0.3',
    peer,
    { type: 'HEARTBEAT', id, sentAtSeconds: 1796137801 },
    ['HEARTBEAT', 'm1', '1796137801'],
    ['HEARTBEAT', 'm1', '1796137801.0'],
  ),
  line(
    'SCHEDULE by interval',
    '0.3',
    peer,
    { type: 'SCHEDULE', id, queue, headers: guarantee, timing: every60, payload },
    ['SCHEDULE', 'm1', 'default', 'guarantee', '60', run, ''],
  ),
  line('SCHEDULE by cron', '0.3', broker, { type: 'SCHEDULE', id, queue, headers: guarantee, timing: cron, payload }, [
    'SCHEDULE',
    'm1',
    'default',
    'guarantee',
    '-1',
    run,
    '0,30 * * * 1,5',
  ]),
  line(
    'SCHEDULE with a header that only 2016 reads as timing',
    '0.3',
    broker,
    { type: 'SCHEDULE', id, queue, headers: headers('interval:9,cron:x'), timing: every60, payload },
    ['SCHEDULE', 'm1', 'default', 'interval:9,cron:x', '60', run, ''],
  ),
  line(
    'SCHEDULE with 8 frames',
    '2016',
    broker,
    { type: 'SCHEDULE', id, queue, headers: guarantee, timing: every60, payload },
    ['SCHEDULE', 'm1', 'default', 'guarantee', '60', run],
    ['SCHEDULE', 'm1', 'default', 'guarantee,interval:60', run],
  ),
  line(
    'SCHEDULE with 7 frames, by interval',
    '2016',
    broker,
    { type: 'SCHEDULE', id, queue, headers: guarantee, timing: every60, payload },
    ['SCHEDULE', 'm1', 'default', 'guarantee,interval:60', run],
  ),
  line(
    'SCHEDULE with 7 frames, the interval before other headers',
    '2016',
    broker,
    { type: 'SCHEDULE', id, queue, headers: headers('nohaste, run_count:3'), timing: every60, payload },
    ['SCHEDULE', 'm1', 'default', 'interval:60,nohaste, run_count:3', run],
    ['SCHEDULE', 'm1', 'default', 'nohaste, run_count:3,interval:60', run],
  ),
  line(
    'SCHEDULE with 7 frames, by cron with commas',
    '2016',
    broker,
    { type: 'SCHEDULE', id, queue, headers: guarantee, timing: cron, payload },
    ['SCHEDULE', 'm1', 'default', 'guarantee,cron:0,30 * * * 1,5', run],
  ),
  line(
    'SCHEDULE with 7 frames, by cron alone',
    '2016',
    broker,
    { type: 'SCHEDULE', id, queue, headers: NO_HEADERS, timing: cron, payload },
    ['SCHEDULE', 'm1', 'default', 'cron:0,30 * * * 1,5', run],
  ),
  line(
    'UNSCHEDULE without a timing',
    '0.3',
    broker,
    { type: 'UNSCHEDULE', id, queue, headers: guarantee, timing: undefined, payload },
    ['UNSCHEDULE', 'm1', 'default', 'guarantee', '-1', run, ''],
  ),
  line(
    'UNSCHEDULE with an interval',
    '0.3',
    peer,
    { type: 'UNSCHEDULE', id, queue, headers: NO_HEADERS, timing: every60, payload },
    ['UNSCHEDULE', 'm1', 'default', '', '60', run, ''],
  ),
  line(
    'UNSCHEDULE with 8 frames',
    '2016',
    broker,
    { type: 'UNSCHEDULE', id, queue, headers: NO_HEADERS, timing: undefined, payload },
    ['UNSCHEDULE', 'm1', 'default', '', '-1', run],
    ['UNSCHEDULE', 'm1', 'default', '', run],
  ),
  line(
    'UNSCHEDULE with 7 frames',
    '2016',
    broker,
    { type: 'UNSCHEDULE', id, queue, headers: guarantee, timing: undefined, payload },
    ['UNSCHEDULE', 'm1', 'default', 'guarantee', run],
  ),
  line('PUBLISH', '0.3', broker, { type: 'PUBLISH', id, topic: 'topic.sub', headers: NO_HEADERS, payload }, [
    'PUBLISH',
    'm1',
    'topic.sub',
    run,
  ]),
  line(
    'PUBLISH to the empty topic',
    '0.3',
    broker,
    {
      type: 'PUBLISH',
      id,
      topic: '',
      headers: NO_HEADERS,
      payload: opaque,
    },
    ['PUBLISH', 'm1', '', opaque],
  ),
  line(
    'PUBLISH with headers',
    '2016',
    broker,
    { type: 'PUBLISH', id, topic: 'topic', headers: headers('header-1'), payload },
    ['PUBLISH', 'm1', 'topic', 'header-1', run],
  ),
  line('DISCONNECT', '0.3', broker, { type: 'DISCONNECT', id }, ['DISCONNECT', 'm1']),
  line('KBYE', '0.3', peer, { type: 'KBYE', id }, ['KBYE', 'm1']),
  line('KBAI', '2016', broker, { type: 'KBYE', id }, ['KBAI', 'm1']),
  line('PROGRESS', '0.3', broker, { type: 'PROGRESS', id, request, payload: opaque }, [
    'PROGRESS',
    'm1',
    opaque,
    'job-7',
  ]),
  ...(['STATUS', 'ROUTER_SHOW_WORKERS', 'ROUTER_SHOW_SCHEDULERS', 'HELLO'] as const).map((type) =>
    line(type, '0.3', broker, { type, id }, [type, 'm1']),
  ),
]
