// Icons, one SVG path each; decorative, so hidden from screen readers.

const PATHS = {
  library: 'M4 5h4v14H4zM10 5h4v14h-4zM16.500 5.600l3.800-.900 3 13.500-3.800.900z',
  search: 'M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13ZM15.500 15.500 20.500 20.500',
  ask: 'M4.500 5h15v11h-8l-4 3.500V16h-3zM10 8.800c.200-1 1-1.500 2-1.500s2 .600 2 1.600c0 1.300-2 1.500-2 2.600M12 13.500v.100',
  operations: 'M4 19V9M9.300 19V5M14.600 19v-7M20 19V8',
  upload: 'M12 16V4.500M7 9l5-5 5 5M4.500 15v3.500a1.500 1.500 0 0 0 1.500 1.500h12a1.500 1.500 0 0 0 1.500-1.500V15',
  close: 'M6 6l12 12M18 6 6 18',
  retry: 'M19.500 12a7.500 7.500 0 1 1-2.300-5.400L19.500 9M19.500 4v5h-5',
  stop: 'M6.500 6.500h11v11h-11z',
  trash: 'M4.500 7h15M9.500 7V4.500h5V7M6.500 7l1 12.500h9l1-12.500M10 10.500v6M14 10.500v6',
  download: 'M12 4v11.500M7 11l5 5 5-5M4.500 19.500h15',
  back: 'M19 12H5M11 6l-6 6 6 6',
  warning: 'M12 4.500 21 19.500H3zM12 10v4.500M12 17v.200',
  hourglass: 'M7 4h10M7 20h10M8 4c0 5 3 6 4 8-1 2-4 3-4 8M16 4c0 5-3 6-4 8 1 2 4 3 4 8',
  document: 'M6.500 3.500h8l4 4v13h-12zM14 3.500v4.500h4.500',
  sheet: 'M4.500 5h15v14h-15zM4.500 10h15M4.500 14.500h15M10 5v14',
  image: 'M4.500 5h15v14h-15zM4.500 16l4.500-4.500 4 4 2.500-2.500 4 4M15.500 9.300v.200',
  mail: 'M4 6h16v12H4zM4 7l8 6.500L20 7',
  web: 'M12 20.500a8.500 8.500 0 1 0 0-17 8.500 8.500 0 0 0 0 17ZM3.500 12h17M12 3.500c3 3 3 14 0 17M12 3.500c-3 3-3 14 0 17',
  book: 'M12 6.500C10 5 7 4.500 4 5v13.500c3-.500 6 0 8 1.500 2-1.500 5-2 8-1.500V5c-3-.500-6 0-8 1.500zM12 6.500V20',
  call: 'M6.500 4h3l1.500 4-2 1.500a11 11 0 0 0 5.500 5.500l1.500-2 4 1.500v3a2 2 0 0 1-2.200 2A15.500 15.500 0 0 1 4.500 6.200 2 2 0 0 1 6.500 4Z',
  theme: 'M12 20.500a8.500 8.500 0 1 0 0-17 8.500 8.500 0 0 0 0 17ZM12 3.500v17a8.500 8.500 0 0 0 0-17Z',
  key: 'M14.500 13a4.500 4.500 0 1 0-4-2.500L4 17v3h3v-2h2v-2h2l1.500-1.500c.600.300 1.300.500 2 .500ZM15.500 8.500v.100',
  pin: 'M9 4h6l-1 6 3 3v1.500H7V13l3-3zM12 14.500V20',
  hide: 'M4 4l16 16M9.900 5.400A9.700 9.700 0 0 1 12 5.200c5 0 8 4.300 9 6.800a13 13 0 0 1-2.600 3.800M6.300 7A13 13 0 0 0 3 12c1 2.500 4 6.800 9 6.800 1.700 0 3.200-.500 4.500-1.200',
  link: 'M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3A4 4 0 0 0 11 18.700l1-1',
  play: 'M8 5.500v13l10-6.500z',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  tag: 'M4 4.500h8l8 8-7.500 7.500-8.500-8zM8 8.500v.100',
  clock: 'M12 20.500a8.500 8.500 0 1 0 0-17 8.500 8.500 0 0 0 0 17ZM12 7.500V12l3 2',
  columns: 'M4 5h16v14H4zM12 5v14',
  outline: 'M4 6h.010M8 6h12M7 12h.010M11 12h9M7 18h.010M11 18h9',
  quote: 'M5 17c2.500-1 3.500-3 3.500-6H5V6h5.500v5c0 4-2 6.500-5.500 7.500zM14 17c2.500-1 3.500-3 3.500-6H14V6h5.500v5c0 4-2 6.500-5.500 7.500z',
  copy: 'M8.500 8.500h11v11h-11zM5 15.500H4.500v-11h11V5',
  find: 'M5 3.500h9l4 4v4M5 3.500v17h6M15.500 19a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7ZM18 18l3 3',
  up: 'M6 15l6-6 6 6',
  down: 'M6 9l6 6 6-6',
  together: 'M4 5h6v14H4zM14 5h6v14h-6zM10 10h4M10 14h4',
  replace: 'M13 3.500H6.500v17H11M13 3.500l4.500 4.500v2.500M13 3.500V8h4.500M17 20.500v-7M13.800 16.500 17 13.300l3.200 3.200',
  print: 'M7 9V4h10v5M7 17H4.500V9h15v8H17M7 14h10v6H7z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}

export function iconFor(mediaType: string): IconName {
  if (/^(audio|video)\//.test(mediaType)) return 'call'
  if (mediaType.startsWith('image/')) return 'image'
  if (/spreadsheet|csv|tab-sep|excel/.test(mediaType)) return 'sheet'
  if (/rfc822|outlook/.test(mediaType)) return 'mail'
  if (/html/.test(mediaType)) return 'web'
  if (/epub/.test(mediaType)) return 'book'
  return 'document'
}
