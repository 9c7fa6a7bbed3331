// The logo.

export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path
        d="M6 8.500 16 14l10-5.500M6 15.500 16 21l10-5.500"
        fill="none"
        stroke="var(--on-accent)"
        strokeWidth="2.600"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <path d="M6 25.500h20" stroke="light-dark(#e3a548, #7a4a00)" strokeWidth="2.600" strokeLinecap="round" />
    </svg>
  )
}
