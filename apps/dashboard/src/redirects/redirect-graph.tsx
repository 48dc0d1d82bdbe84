import { useId } from 'react';
import { strings } from '../strings.js';

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

export interface Redirect {
  readonly from: string;
  readonly to: string;
  readonly status: number;
}

interface GraphNode {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

interface GraphEdge extends Redirect {
  /** From the right side of the source to the left side of the target. */
  readonly start: { readonly x: number; readonly y: number };
  readonly end: { readonly x: number; readonly y: number };
}

interface GraphLayout {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly width: number;
  readonly height: number;
}

/** In SVG units. */
const NODE = { width: 190, height: 34 } as const;
const GAP = { x: 90, y: 18 } as const;
const MARGIN = 8;

/**
 * Places names in columns, so that every redirect points to the right and the targets are in the last column. A
 * configuration that is being edited may contain a cycle, which the API refuses on save; a name is then placed where the
 * walk first reaches it.
 */
export function layoutRedirects(names: readonly string[], redirects: readonly Redirect[]): GraphLayout {
  const known = redirects.filter(({ from, to }) => from !== to && names.includes(from) && names.includes(to));
  const targetOf = new Map(known.map(({ from, to }) => [from, to]));
  const depths = new Map(names.map((name) => [name, depthOf(name, targetOf)]));
  const columns = Math.max(0, ...depths.values()) + 1;
  const rows = new Map<number, number>();
  const nodes = [...names]
    .sort((a, b) => (depths.get(a) ?? 0) - (depths.get(b) ?? 0))
    .map((name) => {
      const column = columns - 1 - (depths.get(name) ?? 0);
      const row = rows.get(column) ?? 0;
      rows.set(column, row + 1);
      return { name, x: MARGIN + column * (NODE.width + GAP.x), y: MARGIN + row * (NODE.height + GAP.y) };
    });
  const mostRows = Math.max(1, ...rows.values());
  return {
    nodes,
    edges: edgesBetween(nodes, known),
    width: 2 * MARGIN + columns * NODE.width + (columns - 1) * GAP.x,
    height: 2 * MARGIN + mostRows * NODE.height + (mostRows - 1) * GAP.y,
  };
}

/** The number of redirects that a visitor of the name follows. */
function depthOf(name: string, targetOf: ReadonlyMap<string, string>): number {
  const visited = new Set([name]);
  for (let next = targetOf.get(name); next !== undefined && !visited.has(next); next = targetOf.get(next))
    visited.add(next);
  return visited.size - 1;
}

function edgesBetween(nodes: readonly GraphNode[], redirects: readonly Redirect[]): GraphEdge[] {
  const nodeOf = new Map(nodes.map((node) => [node.name, node]));
  return redirects.flatMap((redirect) => {
    const from = nodeOf.get(redirect.from);
    const to = nodeOf.get(redirect.to);
    if (from === undefined || to === undefined) return [];
    return [
      {
        ...redirect,
        start: { x: from.x + NODE.width, y: from.y + NODE.height / 2 },
        end: { x: to.x, y: to.y + NODE.height / 2 },
      },
    ];
  });
}
