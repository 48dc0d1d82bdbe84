interface Dialect {
  readonly text: (value: string) => string;
  readonly key: (name: string) => string;
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
}

const typescript: Dialect = {
  text: quoteSingly,
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoteSingly(name)),
  words: { true: 'true', false: 'false', null: 'null' },
};

const python: Dialect = {
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  words: { true: 'True', false: 'False', null: 'None' },
};

/** What fits on one line of a sample. */
const LINE_LENGTH = 72;

/** A JSON value as a literal of TypeScript, whose lines after the first are indented by `indent`. */
export function typescriptLiteral(value: unknown, indent = ''): string {
  return literal(value, indent, typescript);
}

/** A JSON value as a literal of Python. */
export function pythonLiteral(value: unknown, indent = ''): string {
  return literal(value, indent, python);
}

function literal(value: unknown, indent: string, dialect: Dialect): string {
  if (typeof value === 'string') return dialect.text(value);
  if (value === null || typeof value === 'boolean') return dialect.words[`${value}`];
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}${dialect === python ? '    ' : '  '}`;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members = Array.isArray(value)
    ? value.map((item) => literal(item, inner, dialect))
    : Object.entries(value).map(([name, item]) => `${dialect.key(name)}: ${literal(item, inner, dialect)}`);
  if (members.length === 0) return open + close;
  const padding = dialect === typescript && open === '{' ? ' ' : '';
  const line = `${open}${padding}${members.join(', ')}${padding}${close}`;
  if (indent.length + line.length <= LINE_LENGTH && !line.includes('\n')) return line;
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}${close}`;
}

function quoteSingly(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}
