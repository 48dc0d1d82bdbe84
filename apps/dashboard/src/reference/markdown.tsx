import type { ReactNode } from 'react';

/** A part of a Markdown text that begins with a heading of the second level. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** The text before the first heading, and the sections. */
export function splitSections(markdown: string): {
  readonly introduction: string;
  readonly sections: readonly Section[];
} {
  const [introduction = '', ...parts] = markdown.split(/^## /m);
  const sections = parts.map((part) => {
    const [title = '', ...lines] = part.split('\n');
    return { id: slugOf(title), title, text: lines.join('\n').trim() };
  });
  return { introduction: introduction.trim(), sections };
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Paragraphs, lists, tables and code blocks: the Markdown of our own texts, not of strangers'. */
export function Markdown({ text }: { readonly text: string }) {
  return splitBlocks(text).map((block, index) => <Block key={index} block={block} />);
}

/** Code, bold text and links. */
export function Inline({ text }: { readonly text: string }): ReactNode {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^[\]]+\]\([^()\s]+\))/).map((part, index) => {
    if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>;
    if (part.startsWith('**')) return <strong key={index}>{part.slice(2, -2)}</strong>;
    const [, label, target] = /^\[([^[\]]+)\]\(([^()\s]+)\)$/.exec(part) ?? [];
    if (target === undefined) return part;
    return (
      <a key={index} href={target}>
        {label}
      </a>
    );
  });
}

/** Blocks are separated by empty lines, except in code. */
function splitBlocks(text: string): readonly string[] {
  const parts = text.split(/(^```[\s\S]*?^```$)/m);
  return parts
    .flatMap((part) => (part.startsWith('```') ? [part] : part.split(/\n{2,}/)))
    .map((block) => block.trim())
    .filter((block) => block !== '');
}

function Block({ block }: { readonly block: string }) {
  if (block.startsWith('```')) return <CodeBlock block={block} />;
  if (block.startsWith('|')) return <Table rows={block.split('\n')} />;
  if (block.startsWith('- ')) return <ul>{listItems(block, /^- /m)}</ul>;
  const start = /^(\d+)\. /.exec(block)?.[1];
  if (start !== undefined) return <ol start={Number(start)}>{listItems(block, /^\d+\. /m)}</ol>;
  return (
    <p>
      <Inline text={block} />
    </p>
  );
}

function CodeBlock({ block }: { readonly block: string }) {
  return (
    <div className="code">
      <pre>
        <code>{block.split('\n').slice(1, -1).join('\n')}</code>
      </pre>
    </div>
  );
}

function listItems(block: string, mark: RegExp): ReactNode {
  return block
    .split(mark)
    .slice(1)
    .map((item, index) => (
      <li key={index}>
        <Inline text={item.replaceAll(/\n\s*/g, ' ').trim()} />
      </li>
    ));
}

function Table({ rows }: { readonly rows: readonly string[] }) {
  const [head = [], , ...body] = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell) => (
            <th key={cell} scope="col">
              {cell}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {body.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, column) => (
              <td key={column}>
                <Inline text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
