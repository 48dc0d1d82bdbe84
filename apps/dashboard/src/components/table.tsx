import { useDeferredValue, type ReactNode } from 'react';
import { strings } from '../strings.js';

interface Column<Row> {
  readonly header: string;
  /** `title` names the row, `tight` is as wide as its content, `menu` and `select` have no visible header. */
  readonly kind?: 'title' | 'tight' | 'menu' | 'select';
  /** Instead of the text of the header. */
  readonly head?: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** False for the actions of a caller who may do none. */
  readonly isShown?: boolean;
}

interface DataTableProps<Row> {
  /** The accessible name. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
}

/** More than a phone shows. It takes a second to render a hundred rows of domains, so these come first. */
const FIRST_ROWS = 8;

const classes = {
  title: 'cell-title',
  tight: 'cell-tight',
  menu: 'cell-tight cell-menu cell-end',
  select: 'cell-tight cell-select',
} as const;

/**
 * A list as a table, whose rows become blocks of label and value on a phone. The roles are explicit, since browsers drop
 * those of tables that are displayed as blocks.
 */
export function DataTable<Row>({ label, rows, keyOf, columns }: DataTableProps<Row>) {
  const shown = columns.filter(({ isShown }) => isShown !== false);
  const count = useDeferredValue(Infinity, FIRST_ROWS);
  return (
    <table className="data-table" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {shown.map(({ header, head, kind }) => (
            <th key={header} role="columnheader" scope="col" className={kind && classes[kind]}>
              {head ?? (kind === 'menu' ? <span className="visually-hidden">{header}</span> : header)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.slice(0, count).map((row) => (
          <tr key={keyOf(row)} role="row">
            {shown.map((column) => (
              <Cell key={column.header} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell<Row>({ column: { header, kind, cell }, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const content = cell(row);
  return (
    <td
      role="cell"
      data-label={header}
      data-empty={content === strings.none || content === false ? '' : undefined}
      className={kind && classes[kind]}
    >
      {content}
    </td>
  );
}
