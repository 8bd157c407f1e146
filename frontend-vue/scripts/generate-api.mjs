// Writes src/api/schema.d.ts from an OpenAPI document on disk:
//   npm run generate:api -- path/to/openapi.json     (or OPENAPI_FILE=path)
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import { format, resolveConfig } from 'prettier'

const target = fileURLToPath(new URL('../src/api/schema.d.ts', import.meta.url))
const source = process.argv[2] ?? process.env.OPENAPI_FILE
if (!source) {
  console.error('Give the path of an OpenAPI document, as an argument or in OPENAPI_FILE.')
  process.exit(2)
}

const document = JSON.parse(await readFile(path.resolve(source), 'utf8'))
const types = astToString(await openapiTS(document, { defaultNonNullable: false }))
const header =
  '// Generated from the OpenAPI document by `npm run generate:api`. Do not edit by hand.\n\n'
const options = (await resolveConfig(target)) ?? {}
await writeFile(target, await format(header + types, { ...options, parser: 'typescript' }))
console.log(`Wrote ${path.relative(process.cwd(), target)}`)
