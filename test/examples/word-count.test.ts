import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, promisify } from 'node:util'
import { countText } from '../../examples/word-count/jobs.ts'
import { type FileKind, findInputFiles } from '../../scripts/demo/input-files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

const demo = fileURLToPath(new URL('../../scripts/demo/main.ts', import.meta.url))

/** The demo's output and what wc says of the same files: once more if somebody edits them at that moment. */
async function runOverUnchangedFiles() {
  for (;;) {
    const checks = await findInputFiles(root)
    const before = await wordsByWc(checks)
    const { stdout } = await run(process.execPath, ['--conditions=source', demo], { cwd: root })
    const counted = await wordsByWc(await findInputFiles(root))
    if (isDeepStrictEqual(before, counted)) return { checks, counted, stdout }
  }
}

async function wordsByWc(checks: readonly FileKind[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const counted = checks.map(async ({ name, check }) => {
    const { stdout } = await run('sh', ['-c', check], { cwd: root })
    return [name, stdout.trim().split(/\s+/)] as const
  })
  return new Map(await Promise.all(counted))
}

describe('the word count', () => {
  test('counts ends of lines, words and distinct words', () => {
    assert.deepEqual(countText('to be or\nnot to be\n'), {
      lines: 2,
      words: 6,
      distinct: ['to', 'be', 'or', 'not'],
    })
    assert.deepEqual(countText(''), { lines: 0, words: 0, distinct: [] })
    assert.deepEqual(countText('no end'), { lines: 0, words: 2, distinct: ['no', 'end'] })
    assert.deepEqual(countText(' \t\r\n\f\v\u00a0\u3000é '), { lines: 1, words: 1, distinct: ['é'] })
  })

  test('over this repository comes to what wc says, by the commands that the demo prints', async () => {
    const { checks, counted, stdout } = await runOverUnchangedFiles()
    for (const { name, check } of checks) {
      assert.ok(stdout.includes(`  ${check}\n`))
      const [, lines, words] = stdout.match(new RegExp(`^${name} +\\d+ +(\\d+) +(\\d+) +\\d+$`, 'm')) ?? []
      assert.deepEqual(counted.get(name), [lines, words, 'total'])
    }
    const [, ticks] = stdout.match(/wordCount\.tick ran (\d+) times/) ?? []
    assert.ok(Number(ticks) >= 3)
    assert.match(stdout, /all stopped; done in [\d.]+ s\n$/)
  })

  test('leaves no process behind and says what happened when one of its services dies', async () => {
    const child = execFile(process.execPath, ['--conditions=source', demo], { cwd: root })
    let said = ''
    let complained = ''
    const scheduled = Promise.withResolvers<void>()
    child.stdout?.on('data', (chunk: string) => {
      said += chunk
      if (said.includes('scheduled')) scheduled.resolve()
    })
    child.stderr?.on('data', (chunk: string) => {
      complained += chunk
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    await Promise.race([scheduled.promise, ended])
    const pids = [...said.matchAll(/^(.*) is ready: process (\d+)/gm)].map(([, name, pid]) => ({
      name,
      pid: Number(pid),
    }))
    assert.deepEqual(pids.map(({ name }) => name).sort(), ['router', 'scheduler', 'worker 1', 'worker 2'])
    process.kill(pids.find(({ name }) => name === 'worker 2')?.pid ?? assert.fail(), 'SIGKILL')
    assert.equal(await ended, 1)
    assert.match(complained, /demo: worker 2 was ended by SIGKILL/)
    for (const { pid } of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  })
})
