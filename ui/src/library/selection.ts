// Which rows are chosen. Pure, so that shift-clicks can be tested without a mouse.

export interface Selection {
  ids: ReadonlySet<string>
  /** The row a shift-click reaches back to. */
  anchor: string | null
}

export const nothing: Selection = { ids: new Set(), anchor: null }

export function toggled(selection: Selection, id: string): Selection {
  const ids = new Set(selection.ids)
  if (!ids.delete(id)) ids.add(id)
  return { ids, anchor: id }
}

/** Everything between the anchor and this row, in the order shown. */
export function reached(selection: Selection, id: string, order: readonly string[]): Selection {
  const [from, to] = [order.indexOf(selection.anchor ?? id), order.indexOf(id)]
  if (from === -1 || to === -1) return toggled(selection, id)
  const between = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { ids: new Set([...selection.ids, ...between]), anchor: selection.anchor ?? id }
}

/** Rows that are gone cannot stay chosen. */
export function pruned(selection: Selection, order: readonly string[]): Selection {
  const there = new Set(order)
  const ids = [...selection.ids].filter((id) => there.has(id))
  return ids.length === selection.ids.size ? selection : { ids: new Set(ids), anchor: selection.anchor }
}
