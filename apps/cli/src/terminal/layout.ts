const INDENT = '  ';

/** Joins non-empty blocks with a blank line. */
export function paragraphs(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** An indented block below its title. Empty without a block. */
export function titled(title: string, block: string): string {
  return block === '' ? '' : `${title}\n${block.replaceAll(/^(?=.)/gm, INDENT)}`;
}

/** The width that is left for a block below a title. */
export function indentedWidth(width: number | null): number | null {
  return width === null ? null : Math.max(1, width - INDENT.length);
}
