// A table that scrolls sideways on a narrow screen, also by keyboard.

export function Table({ head, children }: { head: string[]; children: React.ReactNode }) {
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label="Table">
      <table className="figure-table">
        <thead>
          <tr>
            {head.map((title, index) => (title ? <th key={index} scope="col">{title}</th> : <td key={index} />))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
