import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const server = process.env['TOWPATH_SERVER'] ?? 'http://127.0.0.1:8000'
const out = resolve(import.meta.dirname, '../src/towpath/page')

export default defineConfig({
  // Relative, so that the page works under any path of a proxy.
  base: './',
  plugins: [react(), pdfResources()],
  build: {
    outDir: out,
    emptyOutDir: true,
    // No data: URLs: the Content-Security-Policy forbids them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // These browsers support light-dark(); the fallback for older ones ignores the selected theme.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 600,
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/documents', '/runs', '/jobs', '/search', '/operations', '/connections', '/health', '/docs', '/openapi.json'].map(
        (path) => [path, { target: server }],
      ),
    ),
  },
  test: { include: ['src/**/*.test.ts', 'src/**/*.test.tsx'] },
})

/** Copies the files that pdf.js fetches on demand: character maps, standard fonts, the JPEG 2000 decoder. */
function pdfResources(): Plugin {
  const from = resolve(import.meta.dirname, 'node_modules/pdfjs-dist')
  return {
    name: 'pdf-resources',
    apply: 'build',
    closeBundle() {
      for (const folder of ['cmaps', 'standard_fonts', 'iccs']) copyFolder(folder, () => true)
      copyFolder('wasm', (name) => name.endsWith('.js') || name.startsWith('LICENSE'))
    },
  }

  function copyFolder(folder: string, include: (name: string) => boolean) {
    mkdirSync(resolve(out, 'pdf', folder), { recursive: true })
    for (const name of readdirSync(resolve(from, folder)).filter(include)) {
      copyFileSync(resolve(from, folder, name), resolve(out, 'pdf', folder, name))
    }
  }
}
