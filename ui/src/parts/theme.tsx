// Light or dark colours, or those of the operating system.
import { useState } from 'react'
import { Icon } from './icon'

const STORAGE_KEY = 'towpath.theme'
const THEMES = ['auto', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

function storedTheme(): Theme {
  const value = localStorage.getItem(STORAGE_KEY)
  return THEMES.find((theme) => theme === value) ?? 'auto'
}

export function applyTheme(theme: Theme = storedTheme()): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme)
  const selectNext = () => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!
    localStorage.setItem(STORAGE_KEY, next)
    applyTheme(next)
    setTheme(next)
  }
  return (
    <button
      type="button"
      className="button plain icon-only"
      onClick={selectNext}
      aria-label={`Colours: ${theme}. Change`}
      title={`Colours: ${theme}`}
    >
      <Icon name="theme" />
    </button>
  )
}
