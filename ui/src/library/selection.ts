// The selected rows, as pure functions.

export interface Selection {
  ids: ReadonlySet<string>
  /** The row from which a shift-click extends the selection. */
  anchor: string | null
  /** The address of the filters whose matching documents are all selected, also those that are not listed yet. */
  all: string | null
}

export const emptySelection: Selection = { ids: new Set(), anchor: null, all: null }

/** Selects all documents that match; with other filters it ends. */
export function selectAll(selection: Selection, address: string): Selection {
  return { ...selection, all: address }
}

/** The listed rows of a selection of all, as if each had been selected. */
export function listedOnly(selection: Selection, order: readonly string[]): Selection {
  return selection.all === null ? selection : { ids: new Set(order), anchor: selection.anchor, all: null }
}

export function toggle(selection: Selection, id: string): Selection {
  const ids = new Set(selection.ids)
  if (!ids.delete(id)) ids.add(id)
  return { ids, anchor: id, all: null }
}

/** Adds all rows between the anchor and this row, in the order shown. */
export function extendSelection(selection: Selection, id: string, order: readonly string[]): Selection {
  const [from, to] = [order.indexOf(selection.anchor ?? id), order.indexOf(id)]
  if (from === -1 || to === -1) return toggle(selection, id)
  const between = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { ids: new Set([...selection.ids, ...between]), anchor: selection.anchor ?? id, all: null }
}

/** Removes rows that are no longer listed, and the selection of all documents of other filters. */
export function prune(selection: Selection, order: readonly string[], address: string): Selection {
  const listed = new Set(order)
  const ids = [...selection.ids].filter((id) => listed.has(id))
  const all = selection.all === address ? address : null
  return ids.length === selection.ids.size && all === selection.all ? selection : { ids: new Set(ids), anchor: selection.anchor, all }
}
