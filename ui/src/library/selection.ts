// The selected rows, as pure functions.

export interface Selection {
  ids: ReadonlySet<string>
  /** The row from which a shift-click extends the selection. */
  anchor: string | null
}

export const emptySelection: Selection = { ids: new Set(), anchor: null }

export function toggle(selection: Selection, id: string): Selection {
  const ids = new Set(selection.ids)
  if (!ids.delete(id)) ids.add(id)
  return { ids, anchor: id }
}

/** Adds all rows between the anchor and this row, in the order shown. */
export function extendSelection(selection: Selection, id: string, order: readonly string[]): Selection {
  const [from, to] = [order.indexOf(selection.anchor ?? id), order.indexOf(id)]
  if (from === -1 || to === -1) return toggle(selection, id)
  const between = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { ids: new Set([...selection.ids, ...between]), anchor: selection.anchor ?? id }
}

/** Removes rows that are no longer listed. */
export function prune(selection: Selection, order: readonly string[]): Selection {
  const listed = new Set(order)
  const ids = [...selection.ids].filter((id) => listed.has(id))
  return ids.length === selection.ids.size ? selection : { ids: new Set(ids), anchor: selection.anchor }
}
