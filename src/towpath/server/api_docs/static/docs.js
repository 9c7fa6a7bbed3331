// Renders the server's OpenAPI document as the API reference. No dependencies, no requests to other origins.

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Creates an element; strings become text nodes, so no value of the document is parsed as HTML. */
function element(name, attributes = {}, ...children) {
  const node = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value)
  node.append(...children.filter((child) => child !== null))
  return node
}

/** The inline markdown that docstrings use: `code` between backticks. */
function prose(text) {
  const parts = (text ?? '').split(/(`[^`]+`)/)
  return parts.map((part) => (part.startsWith('`') && part.length > 2 ? element('code', {}, part.slice(1, -1)) : part))
}

function paragraphs(text) {
  return (text ?? '')
    .split(/\n\s*\n/)
    .filter((part) => part.trim())
    .map((part) => element('p', {}, ...prose(part)))
}

/** The type of a schema as nodes: `string | null`, `list of ChunkView` with a link to the schema. */
function typeOf(schema) {
  if (!schema) return ['any']
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1)
    return [element('a', { href: `#schema-${name}` }, name)]
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.flatMap((choice, index) => (index ? [' | ', ...typeOf(choice)] : typeOf(choice)))
  if (schema.enum) return [schema.enum.map((value) => JSON.stringify(value)).join(' | ')]
  if (schema.const !== undefined) return [JSON.stringify(schema.const)]
  if (schema.type === 'array') return schema.prefixItems ? ['list'] : ['list of ', ...typeOf(schema.items)]
  return [schema.format ? `${schema.type} (${schema.format})` : (schema.type ?? 'any')]
}

function limits(schema) {
  const merged = Object.assign({}, schema, ...(schema.anyOf ?? []))
  const words = []
  if (schema.default !== undefined && schema.default !== null) words.push(`default ${JSON.stringify(schema.default)}`)
  if (merged.minimum !== undefined) words.push(`at least ${merged.minimum}`)
  if (merged.maximum !== undefined) words.push(`at most ${merged.maximum}`)
  if (merged.maxLength !== undefined) words.push(`at most ${merged.maxLength} characters`)
  return words.join(', ')
}

function table(headings, rows) {
  const head = element('tr', {}, ...headings.map((text) => element('th', { scope: 'col' }, text)))
  const body = rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, ...cell))))
  return element('table', {}, element('thead', {}, head), element('tbody', {}, ...body))
}

function parameters(list) {
  if (!list?.length) return null
  const rows = list.map((parameter) => [
    [element('code', {}, parameter.name)],
    [parameter.in + (parameter.required ? ', required' : '')],
    typeOf(parameter.schema),
    [...prose(parameter.description ?? ''), ' ', limits(parameter.schema ?? {})],
  ])
  return table(['Parameter', 'In', 'Type', 'Description'], rows)
}

function contentTypes(content) {
  return Object.entries(content ?? {}).flatMap(([type, value], index) => [
    index ? ', ' : '',
    element('code', {}, type),
    ...(value.schema ? [' ', ...typeOf(value.schema)] : []),
  ])
}

function responses(list) {
  const rows = Object.entries(list).map(([status, response]) => [
    [element('code', {}, status)],
    prose(response.description),
    contentTypes(response.content),
  ])
  return table(['Status', 'Description', 'Body'], rows)
}

function operation(path, method, details) {
  const id = details.operationId
  const body = details.requestBody
  return element(
    'section',
    { id, class: 'operation' },
    element('h3', {}, element('span', { class: `method ${method}` }, method.toUpperCase()), ' ', element('code', {}, path)),
    ...paragraphs(details.description ?? details.summary),
    parameters(details.parameters),
    body ? element('p', {}, 'Request body: ', ...contentTypes(body.content)) : null,
    responses(details.responses),
  )
}

function schema(name, details) {
  const required = new Set(details.required ?? [])
  const rows = Object.entries(details.properties ?? {}).map(([property, value]) => [
    [element('code', {}, property)],
    typeOf(value),
    [...prose(value.description ?? ''), required.has(property) ? '' : ' (optional)'],
  ])
  return element(
    'section',
    { id: `schema-${name}`, class: 'schema' },
    element('h3', {}, name),
    ...paragraphs(details.description),
    rows.length ? table(['Field', 'Type', 'Description'], rows) : element('p', {}, ...typeOf(details)),
  )
}

function operationsByTag(api) {
  const groups = new Map(api.tags.map((tag) => [tag.name, []]))
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const method of METHODS.filter((name) => methods[name])) {
      const tag = methods[method].tags?.[0] ?? 'other'
      groups.set(tag, [...(groups.get(tag) ?? []), { path, method, details: methods[method] }])
    }
  }
  return groups
}

function render(api) {
  const groups = operationsByTag(api)
  const schemas = Object.entries(api.components.schemas)
  const main = document.getElementById('reference')
  main.replaceChildren(
    element('h1', {}, `${api.info.title} API `, element('small', {}, api.info.version)),
    element('p', {}, `${api.info.summary}. The document itself is at `, element('a', { href: 'openapi.json' }, 'openapi.json'), '.'),
    ...[...groups].flatMap(([tag, operations]) => [
      element('h2', { id: `tag-${tag}` }, tag),
      ...operations.map(({ path, method, details }) => operation(path, method, details)),
    ]),
    element('h2', { id: 'schemas' }, 'Schemas'),
    ...schemas.map(([name, details]) => schema(name, details)),
  )
  const links = [...groups].flatMap(([tag, operations]) => [
    element('strong', {}, tag),
    ...operations.map(({ path, method, details }) =>
      element('a', { href: `#${details.operationId}` }, `${method.toUpperCase()} ${path}`),
    ),
  ])
  document.getElementById('contents').replaceChildren(...links, element('a', { href: '#schemas' }, 'Schemas'))
  document.getElementById(location.hash.slice(1))?.scrollIntoView()
}

async function load() {
  const response = await fetch('openapi.json')
  if (!response.ok) throw new Error(`openapi.json: HTTP ${response.status}`)
  render(await response.json())
}

load().catch((error) => {
  document.getElementById('reference').replaceChildren(element('p', { role: 'alert' }, `The API document could not be loaded: ${error.message}`))
})
