import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const server = process.env['TOWPATH_SERVER'] ?? 'http://127.0.0.1:8000'
const out = resolve(import.meta.dirname, '../src/towpath/page')

export default defineConfig({
  // Relative, so that the page also works under a path of somebody's proxy.
  base: './',
  plugins: [react(), pdfResources()],
  build: {
    outDir: out,
    emptyOutDir: true,
    // A data: font would need a hole in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // From here on browsers know light-dark() themselves; its imitation ignores a chosen theme.
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

/** What pdf.js fetches when a file needs it: character maps, standard fonts, the decoder of JPEG 2000. */
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

  function copyFolder(folder: string, wanted: (name: string) => boolean) {
    mkdirSync(resolve(out, 'pdf', folder), { recursive: true })
    for (const name of readdirSync(resolve(from, folder)).filter(wanted)) {
      copyFileSync(resolve(from, folder, name), resolve(out, 'pdf', folder, name))
    }
  }
}
