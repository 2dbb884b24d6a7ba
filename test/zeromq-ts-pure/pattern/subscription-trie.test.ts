import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { SubscriptionTrie } from '../../../packages/zeromq-ts-pure/src/pattern/subscription-trie.ts'

type Name = 'x' | 'y' | 'z'

function matches(trie: SubscriptionTrie<Name>, topic: string): readonly Name[] {
  const found: Name[] = []
  trie.match(Buffer.from(topic), (name) => found.push(name))
  return [...new Set(found)].sort()
}

describe('a subscription trie', () => {
  test('finds every subscriber whose prefix the topic begins with', () => {
    const trie = new SubscriptionTrie<Name>()
    trie.add(Buffer.from(''), 'x')
    trie.add(Buffer.from('ab'), 'y')
    trie.add(Buffer.from('abc'), 'z')
    assert.deepEqual(matches(trie, ''), ['x'])
    assert.deepEqual(matches(trie, 'a'), ['x'])
    assert.deepEqual(matches(trie, 'ab'), ['x', 'y'])
    assert.deepEqual(matches(trie, 'abcd'), ['x', 'y', 'z'])
    assert.deepEqual(matches(trie, 'b'), ['x'])
  })

  test('says which subscription is the first of its prefix and which cancellation the last', () => {
    const trie = new SubscriptionTrie<Name>()
    const prefix = Buffer.from('ab')
    assert.equal(trie.add(prefix, 'x'), true)
    assert.equal(trie.add(prefix, 'y'), false)
    assert.equal(trie.remove(prefix, 'x'), false)
    assert.equal(trie.remove(prefix, 'x'), false)
    assert.equal(trie.remove(prefix, 'y'), true)
    assert.equal(trie.remove(prefix, 'y'), false)
  })
})

/** The plain model: who subscribed to what, as a set of pairs. */
test('a subscription trie finds what a plain list finds, whatever was added and removed in whatever order', () => {
  const prefix = fc.string({ unit: fc.constantFrom('a', 'b', '\u00ff'), maxLength: 4 })
  const name = fc.constantFrom<Name>('x', 'y', 'z')
  const step = fc.record({ what: fc.constantFrom('add', 'remove', 'forget'), prefix, name })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.array(prefix, { maxLength: 10 }), (steps, topics) => {
      const trie = new SubscriptionTrie<Name>()
      const model = new Map<string, { prefix: string; name: Name }>()
      const subscribed = (to: string) => [...model.values()].some((entry) => entry.prefix === to)
      for (const { what, prefix, name } of steps) {
        const key = `${name} ${prefix}`
        if (what === 'add') {
          assert.equal(trie.add(Buffer.from(prefix), name), !subscribed(prefix))
          model.set(key, { prefix, name })
        } else if (what === 'remove') {
          const was = model.delete(key)
          assert.equal(trie.remove(Buffer.from(prefix), name), was && !subscribed(prefix))
        } else {
          trie.removeAll(name)
          for (const [known, entry] of model) if (entry.name === name) model.delete(known)
        }
      }
      for (const topic of topics) {
        const wanted = [...model.values()].filter((entry) => topic.startsWith(entry.prefix)).map((entry) => entry.name)
        assert.deepEqual(matches(trie, topic), [...new Set(wanted)].sort())
      }
    }),
  )
})
