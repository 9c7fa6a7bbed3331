import '@fontsource-variable/ibm-plex-sans/wght.css'
import '@fontsource-variable/literata/wght.css'
import '@fontsource-variable/literata/wght-italic.css'
import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import './style/stage-bar.css'
import './style/shell.css'
import './style/library.css'
import './style/document.css'
import './style/original.css'
import './style/transcript.css'
import './style/text.css'
import './style/reading.css'
import './style/fields.css'
import './style/connections.css'
import './style/history.css'
import './style/versions.css'
import './style/search.css'
import './style/ask.css'
import './style/operations.css'
import './style/organize.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startHealthChecks } from './api/connection'
import { createQueryClient } from './api/queries'
import { App } from './app'
import { applyTheme } from './parts/theme'
import { Uploads } from './uploads/context'

applyTheme()
startHealthChecks()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <Uploads>
        <App />
      </Uploads>
    </QueryClientProvider>
  </StrictMode>,
)
