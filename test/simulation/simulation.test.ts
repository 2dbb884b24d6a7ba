// Hundreds of seeded worlds that do their worst to the broker's core; and mistakes made on purpose, which must be found.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlantedFault } from './broker-process.ts'
import { simulate } from './simulation.ts'

const seeds = Number(process.env['SIMULATION_SEEDS'] ?? 300)

test(`in ${seeds} worlds nothing acknowledged is lost, nothing runs that may not, every client is told once and the truth`, async () => {
  let kills = 0
  let runs = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const result = await simulate(seed)
    kills += result.kills
    runs += result.runs
    assert.equal(
      result.failure,
      undefined,
      `seed ${seed}: ${result.failure}; see test/simulation/replay.ts ${seed}\n${result.trace.slice(-30).join('\n')}`,
    )
  }
  // A simulation in which nothing happens proves nothing.
  assert.ok(kills > seeds && runs > 10 * seeds, `${kills} kills and ${runs} runs in ${seeds} worlds`)
})

test('the same seed makes the same world, step for step', async () => {
  const [one, two] = [await simulate(1), await simulate(1)]
  assert.deepEqual(one.trace, two.trace)
  assert.ok(one.trace.length > 50)
})

for (const planted of ['skip-commit', 'promise-early', 'drop-requeue', 'leak-slot'] satisfies PlantedFault[]) {
  test(`a broker that does ${planted} is found out`, async () => {
    let foundAt: number | undefined
    for (let seed = 1; foundAt === undefined && seed <= 100; seed++) {
      if ((await simulate(seed, planted)).failure !== undefined) foundAt = seed
    }
    assert.ok(foundAt !== undefined, 'no world of a hundred found it')
  })
}
