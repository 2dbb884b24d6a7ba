// Replays one seed of the simulation and prints what happens: node --conditions=source test/simulation/replay.ts SEED [FAULT]

import type { PlantedFault } from './broker-process.ts'
import { simulate } from './simulation.ts'

const [seed, planted] = process.argv.slice(2)
const result = await simulate(Number(seed ?? 1), planted as PlantedFault | undefined)
console.log(result.trace.join('\n'))
console.log(
  `seed ${result.seed}: ${result.jobs} jobs, ${result.runs} runs, ${result.kills} kills: ${result.failure ?? 'all promises kept'}`,
)
process.exitCode = result.failure === undefined ? 0 : 1
