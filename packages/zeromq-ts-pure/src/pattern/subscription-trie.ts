// Which subscribers want a topic: subscriptions are prefixes, kept in a tree of bytes, so that a message is matched in
// as many steps as its longest matching prefix has bytes, however many subscriptions there are.

class Node<T> {
  readonly subscribers = new Set<T>()
  readonly children = new Map<number, Node<T>>()
}

export class SubscriptionTrie<T> {
  readonly #root = new Node<T>()
  /** The prefixes of each subscriber, so that it can be forgotten without a walk through the tree. */
  readonly #prefixes = new Map<T, Map<string, Buffer>>()

  /** @returns whether this is the first subscription of anybody to this prefix */
  add(prefix: Buffer, subscriber: T): boolean {
    let node = this.#root
    for (const byte of prefix) {
      let child = node.children.get(byte)
      if (child === undefined) {
        child = new Node()
        node.children.set(byte, child)
      }
      node = child
    }
    const first = node.subscribers.size === 0
    node.subscribers.add(subscriber)
    let prefixes = this.#prefixes.get(subscriber)
    if (prefixes === undefined) {
      prefixes = new Map()
      this.#prefixes.set(subscriber, prefixes)
    }
    prefixes.set(prefix.toString('latin1'), prefix)
    return first
  }

  /** @returns whether nobody is subscribed to this prefix any more, and somebody was */
  remove(prefix: Buffer, subscriber: T): boolean {
    const key = prefix.toString('latin1')
    const prefixes = this.#prefixes.get(subscriber)
    if (prefixes === undefined || !prefixes.delete(key)) return false
    if (prefixes.size === 0) this.#prefixes.delete(subscriber)
    return this.#prune(prefix, subscriber)
  }

  /** Forgets all that a subscriber wanted. */
  removeAll(subscriber: T): void {
    for (const prefix of [...(this.#prefixes.get(subscriber)?.values() ?? [])]) this.remove(prefix, subscriber)
  }

  /** Calls back each subscriber that wants the topic, once for each of its prefixes that matches. */
  match(topic: Uint8Array, found: (subscriber: T) => void): void {
    let node: Node<T> | undefined = this.#root
    for (let depth = 0; ; depth++) {
      for (const subscriber of node.subscribers) found(subscriber)
      if (depth === topic.length || node.children.size === 0) return
      node = node.children.get(topic[depth] as number)
      if (node === undefined) return
    }
  }

  /** Takes the subscriber from the node at the end of the prefix, and nodes that hold nothing then from the tree. */
  #prune(prefix: Buffer, subscriber: T): boolean {
    const path: Node<T>[] = [this.#root]
    for (const byte of prefix) {
      const child = (path.at(-1) as Node<T>).children.get(byte)
      if (child === undefined) return false
      path.push(child)
    }
    const last = path.at(-1) as Node<T>
    last.subscribers.delete(subscriber)
    for (let i = prefix.length; i > 0; i--) {
      const node = path[i] as Node<T>
      if (node.subscribers.size > 0 || node.children.size > 0) break
      ;(path[i - 1] as Node<T>).children.delete(prefix[i - 1] as number)
    }
    return last.subscribers.size === 0
  }
}
