/**
 * JSON with line breaks. Only white space is added, since parsing would round integers above 2^53. What is no JSON stays as it
 * is.
 */
export function formatJson(text: string): string {
  if (!isJson(text)) return text;
  let depth = 0;
  const indent = () => `\n${'  '.repeat(depth)}`;
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\[\s*\]|\{\s*\}|[{}[\],:]|\s+/g, (token) => {
    if (token === '{' || token === '[') {
      depth += 1;
      return token + indent();
    }
    if (token === '}' || token === ']') {
      depth -= 1;
      return indent() + token;
    }
    if (token === ',') return token + indent();
    if (token === ':') return ': ';
    return token.startsWith('"') ? token : token.replaceAll(/\s/g, '');
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
