// The headers frame: text in, a typed and immutable record out that keeps the order and whatever is unknown, so that a
// message passed on untouched leaves as the bytes that came.

import { EmqpError } from './error.ts'
import {
  absentHeaders,
  type HeaderDefinition,
  headerByName,
  headerDefinitions,
  type KnownHeaderKey,
  type KnownHeaders,
} from './known-header.ts'
import { LIMITS } from './limit.ts'
import { type Parsed, parsed, refused } from './parsed.ts'
import { utf8Length } from './text.ts'

/** One header as it stands in the frame, blanks around name and value removed. */
export interface HeaderEntry {
  readonly name: string
  readonly value: string | undefined
}

/** A message's headers: the known ones typed and by name, all of them in order, and the text as received. */
export type MessageHeaders = KnownHeaders & {
  readonly text: string
  readonly entries: readonly HeaderEntry[]
}

/** What to set ({@link withHeaders}, {@link makeHeaders}); `false` and `undefined` take a header away. */
export type HeaderChanges = { readonly [K in KnownHeaderKey]?: KnownHeaders[K] | undefined }

// Copying one object that has every field already is several times faster than adding fields one by one, and gives all
// headers the same shape.
const blank: MessageHeaders = { text: '', entries: Object.freeze([]), ...absentHeaders }

/** No headers at all. */
export const NO_HEADERS: MessageHeaders = Object.freeze({ ...blank })

// Most messages carry one of few header texts, so a text is parsed once, and so is a single header that stands in many
// texts. The values are frozen and depend on nothing but the text. Long texts and those that differ from message to
// message are left out, and a map is emptied when full, so that no peer can make it grow.
const knownTexts = new Map<string, MessageHeaders>()
const knownTokens = new Map<string, ReadToken>()
const rememberedEntries = 512
const rememberedLength = 256

function remember<T>(map: Map<string, T>, text: string, value: T): void {
  if (text.length > rememberedLength) return
  if (map.size >= rememberedEntries) map.clear()
  map.set(text, value)
}

/**
 * Reads a headers frame: comma-separated `name` or `name:value`, blanks around them ignored. Names match exactly. Unknown
 * headers are kept; a known one with a bad value is an error that names it, and so is a known one that stands twice.
 *
 * @returns the headers, or an error with code `EMQP_HEADER` or `EMQP_LIMIT`
 * @example
 * const read = parseHeaders('guarantee,retry-count:3,x-mine:1')
 * if (read.ok) read.value.retryCount // 3
 */
export function parseHeaders(text: string): Parsed<MessageHeaders> {
  if (text === '') return parsed(NO_HEADERS)
  const known = knownTexts.get(text)
  return known === undefined ? readHeaders(text) : parsed(known)
}

/** The text of the headers frame: as received where nothing was changed. */
export function formatHeaders(headers: MessageHeaders): string {
  return headers.text
}

/**
 * Headers from a program's own values, in the table's order.
 *
 * @throws EmqpError `EMQP_HEADER` where a value is out of its range
 * @example
 * makeHeaders({ guarantee: true, retryCount: 3 }).text // 'guarantee,retry-count:3'
 */
export function makeHeaders(values: HeaderChanges): MessageHeaders {
  return withHeaders(NO_HEADERS, values)
}

/**
 * The same headers with some set or taken away. A header that is there keeps its place, a new one goes to the end, all
 * others keep their bytes.
 *
 * @throws EmqpError `EMQP_HEADER` where a value is out of its range, `EMQP_LIMIT` where they become too many
 * @example
 * withHeaders(request.headers, { replyRequested: true, attempt: 2 })
 */
export function withHeaders(headers: MessageHeaders, changes: HeaderChanges): MessageHeaders {
  const tokens = headers.text === '' ? [] : headers.text.split(',')
  for (const definition of headerDefinitions) {
    const { key, name } = definition
    if (!Object.hasOwn(changes, key) || changes[key] === headers[key]) continue
    const token = printToken(definition, changes[key])
    const place = tokens.findIndex((existing) => splitToken(existing).name === name)
    if (token === undefined) {
      if (place >= 0) tokens.splice(place, 1)
    } else if (place >= 0) tokens[place] = token
    else tokens.push(token)
  }
  return orThrow(parseHeaders(tokens.join(',')))
}

/** The same headers without one that has no meaning in this version, by its name on the wire; others keep their bytes. */
export function withoutHeader(headers: MessageHeaders, name: string): MessageHeaders {
  const tokens = headers.text.split(',').filter((token) => splitToken(token).name !== name)
  return orThrow(parseHeaders(tokens.join(',')))
}

function readHeaders(text: string): Parsed<MessageHeaders> {
  if (text.length > LIMITS.headersBytes || utf8Length(text) > LIMITS.headersBytes) {
    return refused(headerLimit(text, `at most ${LIMITS.headersBytes} bytes (headersBytes)`))
  }
  const tokens = text.split(',')
  if (tokens.length > LIMITS.headers) return refused(headerLimit(text, `at most ${LIMITS.headers} headers (headers)`))
  const entries: HeaderEntry[] = []
  const headers: { -readonly [K in keyof MessageHeaders]: unknown } = { ...blank }
  let mayComeAgain = true
  for (const token of tokens) {
    const read = knownTokens.get(token) ?? readToken(token)
    if (read instanceof EmqpError) return refused(read)
    // An empty token comes of a comma too many and says nothing.
    if (read.entry.name === '') continue
    entries.push(read.entry)
    mayComeAgain &&= read.mayComeAgain
    if (read.key === undefined) continue
    if (headers[read.key] !== blank[read.key]) return refused(badHeader(token, 'it only once'))
    headers[read.key] = read.value
  }
  if (headers.debounceSeconds !== undefined && headers.unique === undefined) {
    return refused(badHeader('debounce', 'the header unique beside debounce'))
  }
  headers.text = text
  headers.entries = Object.freeze(entries)
  // The table's codecs have made every value, so this is what the inferred type says.
  const whole = Object.freeze(headers) as MessageHeaders
  if (mayComeAgain) remember(knownTexts, text, whole)
  return parsed(whole)
}

interface ReadToken {
  readonly entry: HeaderEntry
  /** Where a known header's value goes. */
  readonly key: KnownHeaderKey | undefined
  readonly value: unknown
  readonly mayComeAgain: boolean
}

function readToken(token: string): ReadToken | EmqpError {
  const entry = Object.freeze(splitToken(token))
  if (entry.name === '' && entry.value !== undefined) return badHeader(token, 'a name before the colon')
  const definition = headerByName.get(entry.name)
  const value = definition === undefined ? undefined : readValue(definition, entry)
  if (value instanceof EmqpError) return value
  const key = definition?.key
  const read = { entry, key, value, mayComeAgain: key !== 'traceparent' && key !== 'unique' }
  if (read.mayComeAgain) remember(knownTokens, token, read)
  return read
}

function readValue(definition: HeaderDefinition, { name, value }: HeaderEntry): unknown {
  if (definition.value === undefined) return value === undefined || badHeader(`${name}:${value}`, definition.expected)
  const read = definition.value.safeParse(value)
  return read.success ? read.data : badHeader(`${name}:${value ?? ''}`, `${name}: ${definition.expected}`)
}

function splitToken(token: string): HeaderEntry {
  const colon = token.indexOf(':')
  if (colon < 0) return { name: trimBlanks(token), value: undefined }
  return { name: trimBlanks(token.slice(0, colon)), value: trimBlanks(token.slice(colon + 1)) }
}

function trimBlanks(text: string): string {
  return /^[ \t]|[ \t]$/.test(text) ? text.replace(/^[ \t]+|[ \t]+$/g, '') : text
}

function printToken({ key, name, value: codec, expected }: HeaderDefinition, value: unknown): string | undefined {
  if (value === undefined || value === false) return undefined
  if (codec === undefined) return name
  const text = codec.safeEncode(value)
  // A comma would end the header, blanks at its ends would be dropped: neither comes back as it went.
  if (text.success && !text.data.includes(',') && trimBlanks(text.data) === text.data && text.data.isWellFormed()) {
    return `${name}:${text.data}`
  }
  const found = typeof value === 'object' ? JSON.stringify(value) : String(value)
  throw new EmqpError('EMQP_HEADER', { part: `header ${key}`, found, expected })
}

function badHeader(token: string, expected: string): EmqpError {
  return new EmqpError('EMQP_HEADER', { part: 'headers', found: trimBlanks(token), expected })
}

function headerLimit(text: string, expected: string): EmqpError {
  return new EmqpError('EMQP_LIMIT', { part: 'headers', found: text, expected })
}

function orThrow<T>(result: Parsed<T>): T {
  if (!result.ok) throw result.error
  return result.value
}
