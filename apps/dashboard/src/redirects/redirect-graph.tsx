import { useId } from 'react';
import { strings } from '../strings.js';
import { layoutRedirects, NODE, type Redirect } from './redirect-layout.js';

interface RedirectGraphProps {
  readonly names: readonly string[];
  /** Display names, by ASCII name. */
  readonly labels: ReadonlyMap<string, string>;
  readonly primary: string | null;
  readonly redirects: readonly Redirect[];
}

/** Draws the redirects. The accessible name describes them in words. */
export function RedirectGraph({ names, labels, primary, redirects }: RedirectGraphProps) {
  const { nodes, edges, width, height } = layoutRedirects(names, redirects);
  const id = useId();
  const labelOf = (name: string) => labels.get(name) ?? name;
  const description = edges
    .map(({ from, to, status }) => strings.redirects.edge(labelOf(from), labelOf(to), status))
    .join('. ');
  return (
    <svg
      role="img"
      aria-label={`${strings.redirects.graph}. ${description}`}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className="graph"
    >
      <marker id={id} viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
        <path d="M0 0 8 4 0 8z" />
      </marker>
      {edges.map(({ from, to, status, start, end }) => (
        <g key={`${from} ${to}`}>
          <path
            d={`M${start.x} ${start.y}C${start.x + 45} ${start.y} ${end.x - 45} ${end.y} ${end.x} ${end.y}`}
            markerEnd={`url(#${id})`}
          />
          <text x={(start.x + end.x) / 2} y={(start.y + end.y) / 2 - 6} textAnchor="middle">
            {status}
          </text>
        </g>
      ))}
      {nodes.map(({ name, x, y }) => (
        <g key={name}>
          <title>{labelOf(name)}</title>
          <rect x={x} y={y} rx="6" {...NODE} data-primary={name === primary ? '' : undefined} />
          <text x={x + 10} y={y + NODE.height / 2 + 4}>
            {truncate(labelOf(name))}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** The width of a node. */
const MAX_CHARACTERS = 24;

function truncate(name: string): string {
  return name.length <= MAX_CHARACTERS ? name : `${name.slice(0, MAX_CHARACTERS - 1)}…`;
}
