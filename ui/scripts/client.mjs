// Makes src/api/schema.ts out of openapi.json; with --check it only says whether the two agree.
import { readFile, writeFile } from 'node:fs/promises'
import openapiTS, { astToString } from 'openapi-typescript'

const source = new URL('../openapi.json', import.meta.url)
const target = new URL('../src/api/schema.ts', import.meta.url)
const header = '// Made by `npm run client` from openapi.json. Do not edit.\n\n'

const document = JSON.parse(await readFile(source, 'utf8'))
const made = header + astToString(await openapiTS(document))

if (process.argv.includes('--check')) {
  const there = await readFile(target, 'utf8').catch(() => '')
  if (there !== made) {
    console.error('src/api/schema.ts is not what openapi.json says. Run `npm run client` and commit the result.')
    process.exit(1)
  }
} else {
  await writeFile(target, made)
}
