// The sending process of a push/pull run: connects to an address and sends messages of one size as fast as they are
// taken. Arguments: library, address, bytes a message, number of messages.

import { type LibraryName, loadLibrary } from './library.ts'

const [library, address = '', size, count] = process.argv.slice(2)

const { Push } = await loadLibrary(library as LibraryName)
const push = new Push()
push.connect(address)
const body = Buffer.alloc(Number(size), 'x')
for (let i = 0; i < Number(count); i++) await push.send(body)
push.close()
