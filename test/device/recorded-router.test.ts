import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Device, type Registration } from '@eventmq-ts/device'
import { type Command, decode, type QueueName } from '@eventmq-ts/emqp'
import { readRecording, recordingNames } from './recording.ts'
import { ScriptedRouter } from './scripted-router.ts'

const registrations: Record<string, Registration> = {
  jobmanager: { role: 'worker', queues: [{ weight: 10, name: 'default' as QueueName }] },
  scheduler: { role: 'scheduler' },
}

for (const [role, registration] of Object.entries(registrations)) {
  test(`the INFORM of a ${role} is, but for its id, the one that EventMQ's own sends`, async () => {
    const [recorded] = await readRecording(`${role}-inform`)
    assert.ok(recorded !== undefined)
    const router = await ScriptedRouter.bind()
    const device = new Device({ address: router.address, registration, onCommand: () => undefined })
    try {
      await device.start()
      const { frames } = await router.hearA('INFORM')
      assert.deepEqual(withoutId(frames), withoutId(recorded.frames))
    } finally {
      await device.stop()
      router.close()
    }
  })

  test(`whatever a router was recorded sending to a ${role}, well-formed or not, leaves ours alive and hearing`, async () => {
    const names = [...(await recordingNames(`${role}-`)), ...(await recordingNames(`malformed-${role}-`))]
    const messages = (await Promise.all(names.map(readRecording))).flat().filter(({ from }) => from === 'router')
    assert.ok(messages.length > 20, `only ${messages.length} messages`)
    const router = await ScriptedRouter.bind()
    const commands: Command[] = []
    const { promise: heardLast, resolve } = Promise.withResolvers<void>()
    const device = new Device({
      address: router.address,
      registration,
      onCommand: (command) => {
        commands.push(command)
        if (command.type === 'ACK' && command.acknowledges === 'the-last') resolve()
      },
    })
    try {
      await device.start()
      const { from } = await router.admit()
      for (const { frames } of messages) await router.sayFrames(from, frames)
      await router.sayFrames(from, ['', 'eMQP/1.0', 'ACK', 'end', 'the-last'])
      await heardLast
      const offences = messages.filter(({ frames }) => !decode(frames, { receiver: 'peer' }).ok).length
      assert.ok(offences > 0)
      const counted = [...device.offences.values()].reduce((sum, count) => sum + count, 0)
      assert.equal(counted, offences)
      // KBYE and HEARTBEAT are the device's own.
      const own = messages.filter(({ frames }) =>
        ['KBYE', 'HEARTBEAT'].includes(String.fromCharCode(...(frames[2] ?? []))),
      )
      assert.equal(commands.length, messages.length - offences - own.length + 1)
    } finally {
      await device.stop()
      router.close()
    }
  })
}

function withoutId(frames: readonly Uint8Array[]): Uint8Array[] {
  return frames.filter((_, index) => index !== 3).map((frame) => new Uint8Array(frame))
}
