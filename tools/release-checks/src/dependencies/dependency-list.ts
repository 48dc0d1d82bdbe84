/** One line of docs/dependencies.md. */
export interface ListedDependency {
  readonly folder: string;
  readonly name: string;
  readonly reason: string;
  /** Whether the reason says that no source names it. */
  readonly isUnnamed: boolean;
}

const UNNAMED = 'not imported: ';

/** Reads the tables of docs/dependencies.md: a heading a workspace, below it a line a dependency. */
export function parseDependencyList(text: string): readonly ListedDependency[] {
  return text.split(/^## /m).flatMap((section) => {
    const folder = /^`([^`]+)`/.exec(section)?.[1];
    if (folder === undefined) return [];
    return [...section.matchAll(/^\| `([^`]+)` +\| (\S+(?: \S+)*) +\|$/gm)].map(([, name = '', reason = '']) => {
      return { folder, name, reason, isUnnamed: reason.startsWith(UNNAMED) };
    });
  });
}
