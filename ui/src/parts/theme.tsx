// Light, dark, or as the machine is set.
import { useState } from 'react'
import { Icon } from './icon'

const PLACE = 'towpath.theme'
const THEMES = ['auto', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

function stored(): Theme {
  const found = localStorage.getItem(PLACE)
  return THEMES.find((theme) => theme === found) ?? 'auto'
}

export function applyTheme(theme: Theme = stored()): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function ThemeButton() {
  const [theme, setTheme] = useState(stored)
  const turn = () => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!
    localStorage.setItem(PLACE, next)
    applyTheme(next)
    setTheme(next)
  }
  return (
    <button
      type="button"
      className="button plain icon-only"
      onClick={turn}
      aria-label={`Colours: ${theme}. Change`}
      title={`Colours: ${theme}`}
    >
      <Icon name="theme" />
    </button>
  )
}
